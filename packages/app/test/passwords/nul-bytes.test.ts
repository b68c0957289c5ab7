import { DomainError, makeUseCases } from '@chapter/domain';
import { aUser, makeWorld, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { makeScryptPasswords } from '../../src/passwords/scrypt-passwords.ts';

describe('A password with NULs at its end', () => {
  const hasher = makeScryptPasswords({ logN: 4, r: 8, p: 1 });

  it('has the same scrypt hash as the password without them', async () => {
    expect(await hasher.verify('short-one\0\0', await hasher.hash('short-one'))).to.equal(true);
    expect(await hasher.verify('short-one', await hasher.hash('short-one\0\0'))).to.equal(true);
  });

  it('is rejected at login although the password without them is accepted', async () => {
    const world = { ...makeWorld(), hasher };
    const { logIn } = makeUseCases(world);
    const { username } = await storeUser(world, aUser(), await hasher.hash('short-one'));
    const codeOf = async (password: string) =>
      logIn({ username, password, network: '' }).then(
        () => 'logged in',
        (error: unknown) => error instanceof DomainError && error.code,
      );
    expect([await codeOf('short-one\0'), await codeOf('short-one\0\0')]).to.deep.equal([
      'invalid_credentials',
      'invalid_credentials',
    ]);
    expect(await codeOf('short-one')).to.equal('logged in');
  });
});
