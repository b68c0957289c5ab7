import type { PasswordHasher } from '../../ports/password-hasher.ts';
import { type ContractCase, promise } from './contract-case.ts';
import { expectDifferent, expectEqual, expectRefusal } from './expect.ts';

/** What every password hasher promises. */
export const passwordHasherContract: readonly ContractCase<PasswordHasher>[] = [
  promise('knows a password by its hash, and no other', async (hasher) => {
    const hashed = await hasher.hash('correct horse');
    expectEqual(await hasher.verify('correct horse', hashed), true);
    for (const wrong of ['Correct horse', 'correct horse ', 'correct hors', '', hashed]) {
      expectEqual(await hasher.verify(wrong, hashed), false, JSON.stringify(wrong));
    }
  }),

  promise('takes every character of a password, to the last', async (hasher) => {
    const long = `${'\u{1f600}'.repeat(126)}é\u0000`;
    const hashed = await hasher.hash(`${long}a`);
    expectEqual([await hasher.verify(`${long}a`, hashed), await hasher.verify(`${long}b`, hashed)], [true, false]);
  }),

  promise('gives another hash each time', async (hasher) => {
    const [first, second] = [await hasher.hash('correct horse'), await hasher.hash('correct horse')];
    expectDifferent(first, second, 'the hash');
    expectEqual(
      [await hasher.verify('correct horse', first), await hasher.verify('correct horse', second)],
      [true, true],
    );
  }),

  promise('knows no password where there is no hash', async (hasher) => {
    expectEqual([await hasher.verify('correct horse', null), await hasher.verify('', null)], [false, false]);
  }),

  promise('calls no new hash weak', async (hasher) => {
    expectEqual(hasher.isWeak(await hasher.hash('correct horse')), false);
  }),

  promise('refuses a request whose client has disconnected, and serves the next', async (hasher) => {
    const hashed = await hasher.hash('correct horse', { isAbandoned: () => false });
    for (const isContinuation of [false, true]) {
      const abandoned = { isAbandoned: () => true, isContinuation };
      await expectRefusal('unavailable', hasher.hash('correct horse', abandoned));
      await expectRefusal('unavailable', hasher.verify('correct horse', hashed, abandoned));
      await expectRefusal('unavailable', hasher.verify('correct horse', null, abandoned));
    }
    const continuation = { isAbandoned: () => false, isContinuation: true };
    expectEqual(await hasher.verify('correct horse', hashed, continuation), true);
  }),
];
