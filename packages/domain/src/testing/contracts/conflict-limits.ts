import { CONFLICT_LIMITS, type ConflictLimits } from '../../ports/conflict-limits.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual, expectRefusal, outcomesOf } from './expect.ts';

const ADA_ID = '0197f0aa-0000-7000-8000-0000000000a1';
const EVE_ID = '0197f0aa-0000-7000-8000-0000000000e1';

const count = async (limits: ConflictLimits, userId: string, times: number): Promise<void> => {
  for (let time = 0; time < times; time++) await limits.count(userId);
};

/** Contract cases for conflict limits that hold with any clock. */
export const conflictLimitsContract: readonly ContractCase[] = [
  contractCase('allow a user a hundred conflicts and no more, and limit no other user', async ({ conflictLimits }) => {
    await count(conflictLimits, ADA_ID, CONFLICT_LIMITS.ofUser);
    const { retryAfter } = await expectRefusal('rate_limited', conflictLimits.count(ADA_ID));
    const isWithinWindow = Number(retryAfter) > 0 && Number(retryAfter) <= CONFLICT_LIMITS.windowSeconds;
    expectEqual(isWithinWindow, true, `that ${retryAfter} seconds are within the window`);
    await count(conflictLimits, EVE_ID, 2);
  }),

  contractCase('allow no more when conflicts are counted concurrently', async ({ conflictLimits }) => {
    const raced = await outcomesOf(Array.from({ length: 120 }, () => conflictLimits.count(ADA_ID)));
    expectEqual([raced.values.length, raced.refused.length], [100, 20]);
  }),
];

/** Contract cases for conflict limits that follow the world's clock. */
export const conflictLimitsInTimeContract: readonly ContractCase[] = [
  contractCase('count a conflict for 15 minutes', async ({ clock, conflictLimits }) => {
    await count(conflictLimits, ADA_ID, 100);
    clock.advance(15 * 60 - 2);
    await expectRefusal('rate_limited', conflictLimits.count(ADA_ID));
    clock.advance(4);
    await conflictLimits.count(ADA_ID);
  }),
];
