import type { CommonPasswords } from '../../ports/passwords.ts';
import type { Clock, IdGenerator } from '../../ports/system.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual } from './expect.ts';

/** Contract cases for every clock. */
export const clockContract: readonly ContractCase<Clock>[] = [
  contractCase('returns the time in UTC with milliseconds', async (clock) => {
    const instant = clock.now();
    expectEqual(instant, new Date(Date.parse(instant)).toISOString());
  }),
];

/** Contract cases for every generator of ids. */
export const idGeneratorContract: readonly ContractCase<IdGenerator>[] = [
  contractCase('returns UUIDs of version 7 in lower case', async (generator) => {
    const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    const ids = Array.from({ length: 100 }, () => generator.next());
    const others = ids.filter((id) => !shape.test(id));
    expectEqual(others, []);
  }),

  contractCase('returns ids in ascending order', async (generator) => {
    const ids = Array.from({ length: 10_000 }, () => generator.next());
    expectEqual(ids.toSorted(), ids);
    expectEqual(new Set(ids).size, ids.length, 'the number of different ids');
  }),
];

/** Contract cases for every list of common passwords. */
export const commonPasswordsContract: readonly ContractCase<CommonPasswords>[] = [
  contractCase('contain common passwords and no random ones', async (passwords) => {
    const common = ['password', '12345678', 'iloveyou'];
    const rare = ['', 'correct horse battery staple', 'constructor', '__proto__', '\n', 'password\n12345678'];
    const found = [...common, ...rare].filter((text) => passwords.has(text));
    expectEqual(found, common);
  }),
];
