import { MS_PER_DAY } from '../model/dates.ts';
import type { DivisionId } from '../model/division.ts';
import { tooCostly } from '../model/errors.ts';
import { type Actor, GROUPS, type Group, type Instant } from '../model/user.ts';
import type { MemberCount, UserDirectory } from '../ports/user-directory.ts';
import { authorizeDivision } from './divisions.ts';
import type { ReadInput } from './steps/changes.ts';
import type { Ports } from './steps/ports.ts';

/** The days without a login or refresh after which a member counts as dormant. */
export const DORMANT_DAYS = Object.freeze({ default: 90, max: 36_525 } as const);

/** The number of months whose joinings are counted: the present one and those before it. */
const COUNTED_MONTHS = 24;

const MAX_COUNTED_MEMBERS = 100_000;

/** Counts of the present members of a division. See contract §4. */
export interface DivisionStatistics {
  /** All members, active or not. */
  readonly members: number;
  /** The members who may log in. */
  readonly active: number;
  /** A member counts in each of their groups; one without groups in none. */
  readonly groups: readonly { readonly name: Group; readonly members: number }[];
  /** The members who joined in each month (UTC, `YYYY-MM`), the present month last. */
  readonly joined: readonly { readonly month: string; readonly members: number }[];
  /** The members without a login or refresh for `days` days or more. */
  readonly dormant: { readonly days: number; readonly members: number };
}

/** Returns the months whose joinings are counted, as `YYYY-MM` in UTC. */
export const countedMonths = (now: Instant): readonly string[] => {
  const [year, month] = [Number(now.slice(0, 4)), Number(now.slice(5, 7))];
  return Array.from({ length: COUNTED_MONTHS }, (_, at) =>
    new Date(Date.UTC(year, month - COUNTED_MONTHS + at)).toISOString().slice(0, 7),
  );
};

/** Reads the statistics of a division at a time. `limit` is the most members that it counts. */
export const readStatistics = async (
  directory: UserDirectory,
  divisionId: DivisionId,
  { now, dormantDays, limit }: { readonly now: Instant; readonly dormantDays: number; readonly limit: number | null },
): Promise<DivisionStatistics> => {
  const months = countedMonths(now);
  const dormantOn = new Date(Date.parse(now) - dormantDays * MS_PER_DAY).toISOString().slice(0, 10);
  const counts = await directory.count(divisionId, { joinedSince: `${months[0]}-01`, dormantOn, limit });
  const sum = (isCounted: (count: MemberCount) => boolean): number =>
    counts.reduce((total, count) => (isCounted(count) ? total + count.members : total), 0);
  return {
    members: sum(() => true),
    active: sum(({ isActive }) => isActive),
    groups: GROUPS.map((name) => ({ name, members: sum(({ groups }) => groups.includes(name)) })),
    joined: months.map((month) => ({ month, members: sum(({ joinedIn }) => joinedIn === month) })),
    dormant: { days: dormantDays, members: sum(({ isDormant }) => isDormant) },
  };
};

/**
 * Counts the members of a division. The input is the number of days after which a member is dormant.
 *
 * @throws DomainError like `authorize`; `too_costly` for a division of more than 100,000 members.
 */
export const makeGetDivisionStatistics =
  ({ directory, divisions, clock }: Pick<Ports, 'directory' | 'divisions' | 'clock'>) =>
  async (actor: Actor, divisionId: DivisionId, readInput: ReadInput<number>): Promise<DivisionStatistics> => {
    await authorizeDivision(divisions, actor, 'getDivisionStatistics', divisionId);
    const options = { now: clock.now(), dormantDays: await readInput(), limit: MAX_COUNTED_MEMBERS + 1 };
    const statistics = await readStatistics(directory, divisionId, options);
    if (statistics.members <= MAX_COUNTED_MEMBERS) return statistics;
    const most = MAX_COUNTED_MEMBERS.toLocaleString('en');
    throw tooCostly(`the division has more than ${most} members; ask the operator for its statistics`);
  };
