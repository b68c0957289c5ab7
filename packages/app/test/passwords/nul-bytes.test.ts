import { expect } from 'chai';
import { makeScryptPasswords } from '../../src/passwords/scrypt-passwords.ts';

describe('A password with NULs at its end', () => {
  const hasher = makeScryptPasswords({ logN: 4, r: 8, p: 1 });

  it('has the same scrypt hash as the password without them', async () => {
    expect(await hasher.verify('short-one\0\0', await hasher.hash('short-one'))).to.equal(true);
    expect(await hasher.verify('short-one', await hasher.hash('short-one\0\0'))).to.equal(true);
  });
});
