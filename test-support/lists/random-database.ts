import * as fc from 'fast-check';
import type { Database } from '../../packages/adapters-postgres/src/index.ts';
import {
  type Division,
  type DivisionReference,
  type DivisionUserListField,
  divisionListFields,
  divisionUserListFields,
  type Filter,
  type ListQuery,
  normalizeText,
  snakeCase,
  type User,
  userListFields,
} from '../../packages/domain/src/ports/index.ts';
import { aDivision } from '../../packages/domain/src/testing/index.ts';
import { loadRows } from './load-rows.ts';
import { anyText, membersOfOne } from './random-members.ts';
import { type QueriedList, queriesOf } from './random-queries.ts';

/** A list of the API at a path. */
interface ListAt<Field extends string> extends QueriedList<Field> {
  readonly path: string;
  readonly hasFilters: boolean;
}

/** How a query is written: which parameters are left out, so that their defaults apply, and whether texts are in capitals. */
interface Spelling {
  readonly omitted: readonly string[];
  readonly isInCapitals: boolean;
}

const requestOf = <Field extends string>(
  { path, fields, hasFilters }: ListAt<Field>,
  { filters, words, order, size, counted }: ListQuery<Field | 'id'>,
  { omitted, isInCapitals }: Spelling,
): string => {
  const spelled = (text: string): string => (isInCapitals ? text.toUpperCase() : text);
  const valueOf = ({ field, operator, value }: Filter<Field>): string =>
    fields[field].kind === 'text' && operator !== 'isnull' ? spelled(String(value)) : String(value);
  const parameters = new URLSearchParams();
  // A list without filters has no parameter for a field. `set` drops a repeated one, which is an error.
  for (const filter of hasFilters ? (filters as readonly Filter<Field>[]) : []) {
    const name = snakeCase(filter.field);
    parameters.set(filter.operator === 'eq' ? name : `${name}__${filter.operator}`, valueOf(filter));
  }
  if (words.length > 0) parameters.set('search', spelled(words.join(' ')));
  parameters.set('ordering', order.map(({ field, descending }) => (descending ? '-' : '') + snakeCase(field)).join());
  parameters.set('page_size', String(size));
  parameters.set('count', String(counted));
  for (const name of omitted) parameters.delete(name);
  return `${path}?${parameters.toString()}`;
};

/** Paths with query strings that request the first page of a list, with random values of all parameters. */
const requestsOf = <Field extends string>(list: ListAt<Field>): fc.Arbitrary<string> =>
  fc
    .record({
      query: queriesOf(list),
      omitted: fc.subarray(['ordering', 'page_size', 'count']),
      isInCapitals: fc.boolean(),
    })
    .map(({ query, ...spelling }) => requestOf(list, query, spelling));

/** The number of rows from which requests take values. Each generated filter copies these values. */
const SAMPLE_SIZE = 300;
const MEMBERS_PER_DIVISION = 30;

const url = anyText.map((path) => `https://example.org/${path.replaceAll(/[\s<>"^`{|}\\]/g, '')}`);

interface RandomDivision {
  readonly division: Division;
  readonly people: readonly User[];
}

const movedTo =
  (division: DivisionReference) =>
  (user: User): User => ({ ...user, division });

const otherDivisions = (count: number): fc.Arbitrary<readonly RandomDivision[]> =>
  fc
    .array(
      fc.record({
        name: anyText,
        logo: fc.option(url),
        fanpage: fc.option(url),
        people: membersOfOne({ maxLength: 4 }),
      }),
      { minLength: count, maxLength: count },
    )
    .map((all) =>
      all.map(({ name, people, ...links }, at) => {
        const division = aDivision().with({ name: normalizeText(`${name}${at}`), ...links });
        return { division, people: people.map(movedTo(division)) };
      }),
    );

/**
 * Adds random members to a stored division, and other divisions with a few members. Their texts are hard to compare and search,
 * and optional values are often null. Returns requests of all lists by a Leader of the division who is an Administrator. The
 * seed determines the rows.
 */
export const fillAtRandom = async (
  database: Pick<Database, 'loadInBulk'>,
  { own, members, seed }: { readonly own: DivisionReference; readonly members: number; readonly seed: number },
): Promise<fc.Arbitrary<string>> => {
  const population = fc.tuple(
    membersOfOne({ minLength: members, maxLength: members }),
    otherDivisions(Math.ceil(members / MEMBERS_PER_DIVISION)),
  );
  const [drawn, others] = fc.sample(population, { numRuns: 1, seed })[0] ?? [[], []];
  const people = drawn.map(movedTo(own));
  const added = others.map(({ division }) => division);
  await loadRows(database, added, [...people, ...others.flatMap(({ people: strangers }) => strangers)]);
  const sampled = people.slice(0, SAMPLE_SIZE);
  const users = requestsOf({ path: '/api/users/', fields: userListFields, rows: sampled, hasFilters: true });
  const ofDivision = requestsOf<DivisionUserListField>({
    path: `/api/division/${own.id}/users/`,
    fields: divisionUserListFields,
    rows: sampled,
    hasFilters: false,
  });
  const ofDivisions = requestsOf({
    path: '/api/divisions/',
    fields: divisionListFields,
    rows: added.slice(0, SAMPLE_SIZE),
    hasFilters: true,
  });
  return fc.oneof({ weight: 3, arbitrary: users }, ofDivision, ofDivisions);
};
