import {
  accessTokensContract,
  accessTokensInTimeContract,
  clockContract,
  commonPasswordsContract,
  idGeneratorContract,
  makeSettableClock,
  passwordHasherContract,
  refreshTokensContract,
} from '@chapter/domain/testing';
import { expect } from 'chai';
import {
  commonPasswords,
  makeAccessTokens,
  makeScryptPasswords,
  randomRefreshTokens,
  systemClock,
  uuidIds,
} from '../src/index.ts';
import { newKey, settings } from './tokens/forge.ts';

describe('The clock of this machine', () => {
  for (const { title, run } of clockContract) it(title, () => run(systemClock));

  it('returns the present time in each call', async () => {
    const before = new Date().toISOString();
    const first = systemClock.now();
    expect(first >= before).to.equal(true);
    while (systemClock.now() === first) await new Promise(setImmediate);
    expect(systemClock.now() > first).to.equal(true);
  });
});

describe('UUIDs by the library', () => {
  for (const { title, run } of idGeneratorContract) it(title, () => run(uuidIds));
});

describe('The common passwords by the library', () => {
  for (const { title, run } of commonPasswordsContract) it(title, () => run(commonPasswords));
});

describe('Passwords by scrypt: the hasher', () => {
  const passwords = makeScryptPasswords({ logN: 4, r: 8, p: 1 });
  for (const { title, run } of passwordHasherContract) it(title, () => run(passwords));
});

describe('Random refresh tokens', () => {
  for (const { title, run } of refreshTokensContract) it(title, () => run(randomRefreshTokens));
});

describe('Access tokens by jose', () => {
  for (const alg of ['EdDSA', 'ES256'] as const) {
    const keys = [newKey(alg)] as const;
    const tokensBy = (clock = makeSettableClock()) =>
      makeAccessTokens({ current: () => keys, latest: () => keys }, settings, clock);
    for (const { title, run } of accessTokensContract) it(`${title} (${alg})`, () => run(tokensBy()));
    for (const { title, run } of accessTokensInTimeContract) {
      it(`${title} (${alg})`, () => {
        const clock = makeSettableClock();
        return run({ accessTokens: tokensBy(clock), clock });
      });
    }
  }
});
