/** How members are distributed: in one large division, or a hundred each in many divisions. */
export type Layout = 'one' | 'many';

/** The number of members of a database and their layout. */
export interface Population {
  readonly layout: Layout;
  readonly members: number;
  /** With one large division: members of other divisions, a multiple of 100; a tenth of `members` by default. */
  readonly others?: number;
  /**
   * With one large division: the sizes of smaller divisions to measure. Then the rows of all divisions are mixed. The least of
   * these sizes, `members` and `others` divides the others.
   */
  readonly smaller?: readonly number[];
}

/**
 * A word in the names of ten members of a population, or of each measured division. No other text contains its last two letters
 * in sequence.
 */
export const RARE = 'quetzalj';
/** A word that is frequent in the service, but is in the names of at most ten members of each measured division. */
export const ELSEWHERE = 'vandermeer';

/** The number of the largest measured division. The smaller ones follow. */
const MEASURED = 0;

const MEMBERS_OF_SMALL = 100;

/** A prime number. Multiples of it spread the rows of each division over the table. */
const STRIDE = 7919;

const othersOf = ({ members, others = members / 10 }: Population): number => others;

/** Returns the sizes of the measured divisions, in the order of their numbers. */
export const measuredSizes = ({ layout, members, smaller = [] }: Population): readonly number[] =>
  layout === 'one' ? [members, ...smaller] : [MEMBERS_OF_SMALL];

/** The place of a member: the number of the division, and the member's number among `of` members. */
export interface Place {
  readonly division: number;
  readonly at: number;
  readonly of: number;
}

/** Returns the place of the member in a row of the table. */
export const placeOf = (population: Population, at: number): Place => {
  const { layout, members, smaller = [] } = population;
  if (layout === 'many') return { division: at % (members / MEMBERS_OF_SMALL), at, of: members };
  const others = othersOf(population);
  const otherDivision = (other: number): number => 1 + smaller.length + (other % (others / MEMBERS_OF_SMALL));
  if (smaller.length === 0) return { division: at < members ? MEASURED : otherDivision(at), at, of: members };
  // The rows are written in turns. In each turn, each division gets its share.
  const turns = Math.min(members, ...smaller, others);
  const rowsPerTurn = totalOf(population) / turns;
  const turn = Math.floor(at / rowsPerTurn);
  let slot = (at * STRIDE) % rowsPerTurn;
  for (const [division, size] of measuredSizes(population).entries()) {
    const share = size / turns;
    if (slot < share) return { division, at: turn * share + slot, of: size };
    slot -= share;
  }
  const other = (turn * others) / turns + slot;
  return { division: otherDivision(other), at: other, of: others };
};

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);

/** Returns the number of members in all divisions. */
export const totalOf = (population: Population): number =>
  population.layout === 'one' ? sum(measuredSizes(population)) + othersOf(population) : population.members;

/** Returns the number of divisions. */
export const divisionsOf = (population: Population): number =>
  population.layout === 'one'
    ? measuredSizes(population).length + othersOf(population) / MEMBERS_OF_SMALL
    : population.members / MEMBERS_OF_SMALL;

/** Returns a UUID with the number of a row. `kind` distinguishes tables. */
export const uuidOf = (kind: '8d' | '90', at: number): string =>
  `01${kind}0000-0000-7000-8000-${at.toString(16).padStart(12, '0')}`;

/** Returns the id of the division with a number. */
export const divisionIdOf = (at: number): string => uuidOf('8d', at);

/** The id of the measured division, or of the largest one. */
export const MEASURED_ID = divisionIdOf(MEASURED);

/** Returns the measured divisions, the smallest first. */
export const measuredDivisions = (population: Population): readonly { readonly id: string; readonly size: number }[] =>
  measuredSizes(population)
    .map((size, at) => ({ id: divisionIdOf(at), size }))
    .toSorted((one, other) => one.size - other.size);
