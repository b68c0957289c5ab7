import { THEMES } from './generate.ts';
import type { Faults } from './ports/call.ts';
import type { Random } from './random.ts';
import { orders } from './scheduler.ts';

const FAULTS: readonly [Faults, ...Faults[]] = [
  { before: 0, after: 0, repeated: 0 },
  { before: 0, after: 0, repeated: 10 },
  { before: 1, after: 1, repeated: 5 },
  { before: 0, after: 5, repeated: 0 },
];

/** Steps that stay within the grace period of 10 s, steps that exceed it or a lifetime, and parts of the longest lifetimes. */
export const CLOCK_STEPS_SECONDS = [1, 4, 9, 11, 16 * 60, 72 * 3600, 10 * 24 * 3600, 30 * 24 * 3600] as const;

/** The properties of a history. */
interface Plan {
  readonly theme: (typeof THEMES)[number];
  readonly order: keyof typeof orders;
  /** The id of the user that each client acts for. */
  readonly clientUserIds: readonly string[];
  readonly faults: Faults;
  /** Percentage of turns before which the clock advances. */
  readonly clockStepPercent: number;
  /** Whether the operator moves, links and changes users at the same time. */
  readonly hasOperator: boolean;
}

const ORDERS = Object.keys(orders) as [keyof typeof orders];

/** Draws the properties of a history: three to five clients for the given people. */
export const drawPlan = (random: Random, people: readonly string[]): Plan => {
  const theme = random.pick(THEMES);
  // Sessions race only if clients share them. In other themes, the two Leaders of one division always take part.
  const drawUserId = (at: number): string =>
    people[theme === 'sessions' ? random.below(2) : at < 2 ? at : random.below(people.length)] ?? '';
  return {
    theme,
    clientUserIds: Array.from({ length: 3 + random.below(3) }, (_, at) => drawUserId(at)),
    order: random.pick(ORDERS),
    faults: random.pick(FAULTS),
    clockStepPercent: random.pick([0, 0, 1, 5]),
    hasOperator: random.chance(theme === 'links' ? 60 : 15),
  };
};
