import type { PasswordHasher } from '../../ports/passwords.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectDifferent, expectEqual, expectRefusal } from './expect.ts';

/** Contract cases for every password hasher. */
export const passwordHasherContract: readonly ContractCase<PasswordHasher>[] = [
  contractCase('verifies the password of a hash and no other', async (hasher) => {
    const hashed = await hasher.hash('correct horse');
    expectEqual(await hasher.verify('correct horse', hashed), true);
    for (const wrong of ['Correct horse', 'correct horse ', 'correct hors', '', hashed]) {
      expectEqual(await hasher.verify(wrong, hashed), false, JSON.stringify(wrong));
    }
  }),

  contractCase('uses every character of a password', async (hasher) => {
    const long = `${'\u{1f600}'.repeat(126)}é\u0000`;
    const hashed = await hasher.hash(`${long}a`);
    expectEqual([await hasher.verify(`${long}a`, hashed), await hasher.verify(`${long}b`, hashed)], [true, false]);
  }),

  contractCase('returns another hash for the same password each time', async (hasher) => {
    const [first, second] = [await hasher.hash('correct horse'), await hasher.hash('correct horse')];
    expectDifferent(first, second, 'the hash');
    for (const hashed of [first, second]) expectEqual(await hasher.verify('correct horse', hashed), true);
  }),

  contractCase('verifies no password without a hash', async (hasher) => {
    expectEqual([await hasher.verify('correct horse', null), await hasher.verify('', null)], [false, false]);
  }),

  contractCase('considers no new hash weak', async (hasher) => {
    expectEqual(hasher.isWeak(await hasher.hash('correct horse')), false);
  }),

  contractCase('refuses a request whose client has disconnected, and serves the next', async (hasher) => {
    const share = ['logins', 'network', 'name'] as const;
    const hashed = await hasher.hash('correct horse', { share, isAbandoned: () => false });
    for (const isContinuation of [false, true]) {
      const abandoned = { share, isAbandoned: () => true, isContinuation };
      await expectRefusal('unavailable', hasher.hash('correct horse', abandoned));
      await expectRefusal('unavailable', hasher.verify('correct horse', hashed, abandoned));
      await expectRefusal('unavailable', hasher.verify('correct horse', null, abandoned));
    }
    const continuation = { share, isAbandoned: () => false, isContinuation: true };
    expectEqual(await hasher.verify('correct horse', hashed, continuation), true);
  }),
];
