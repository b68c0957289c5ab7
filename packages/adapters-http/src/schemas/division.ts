import type {
  DivisionChanges as Changes,
  DivisionListField,
  SnakeCase,
  DivisionStatistics as Statistics,
} from '@chapter/domain/api';
import { type TSchema, Type } from 'typebox';
import { closed, DivisionId, DivisionName, freeText, GroupName, nullableSchema, objectSchema, Url } from './fields.ts';

/** A division (contract §4). */
export const Division = objectSchema({
  id: DivisionId,
  name: freeText('Riverside'),
  logo: nullableSchema(freeText('https://example.org/riverside.png')),
  fanpage: nullableSchema(freeText('https://example.org/riverside')),
} satisfies Record<SnakeCase<DivisionListField>, TSchema>);

const Count = Type.Integer({ minimum: 0, examples: [12] });
const Month = Type.String({ pattern: '^\\d{4}-\\d{2}$', examples: ['2026-11'] });

/** Counts of the members of a division (contract §4). */
export const DivisionStatistics = objectSchema({
  members: Count,
  active: Count,
  groups: Type.Array(objectSchema({ name: GroupName, members: Count }), {
    description: 'The members of each group. A member counts in each of their groups, or in none.',
  }),
  joined: Type.Array(objectSchema({ month: Month, members: Count }), {
    description: 'The present members who joined in each of the last 24 months (UTC), the present month last.',
  }),
  dormant: {
    ...objectSchema({ days: Type.Integer({ minimum: 1, examples: [90] }), members: Count }),
    description: 'The members without a login or refresh for this number of days.',
  },
} satisfies Record<keyof Statistics, TSchema>);

/** The body that changes a division. An absent field keeps its value. */
export const DivisionChanges = Type.Partial(
  Type.Object({ name: DivisionName, logo: Url, fanpage: Url } satisfies Record<SnakeCase<keyof Changes>, TSchema>),
  closed,
);
