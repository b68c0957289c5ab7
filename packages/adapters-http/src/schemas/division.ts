import type {
  DivisionChanges as Changes,
  DivisionListField,
  SnakeCase,
  DivisionStatistics as Statistics,
} from '@chapter/domain/api';
import { type TSchema, Type } from 'typebox';
import { closed, DivisionId, DivisionName, GroupName, nullableSchema, Url } from './fields.ts';

/** A division (contract §4). */
export const Division = Type.Object(
  {
    id: DivisionId,
    name: Type.String({ examples: ['Riverside'] }),
    logo: nullableSchema(Type.String({ examples: ['https://example.org/riverside.png'] })),
    fanpage: nullableSchema(Type.String({ examples: ['https://example.org/riverside'] })),
  } satisfies Record<SnakeCase<DivisionListField>, TSchema>,
  closed,
);

const Count = Type.Integer({ minimum: 0, examples: [12] });
const Month = Type.String({ pattern: '^\\d{4}-\\d{2}$', examples: ['2026-11'] });

/** Counts of the members of a division (contract §4). */
export const DivisionStatistics = Type.Object(
  {
    members: Count,
    active: Count,
    groups: Type.Array(Type.Object({ name: GroupName, members: Count }, closed), {
      description: 'The members of each group. A member counts in each of their groups, or in none.',
    }),
    joined: Type.Array(Type.Object({ month: Month, members: Count }, closed), {
      description: 'The present members who joined in each of the last 24 months (UTC), the present month last.',
    }),
    dormant: Type.Object(
      { days: Type.Integer({ minimum: 1, examples: [90] }), members: Count },
      { ...closed, description: 'The members without a login or refresh for this number of days.' },
    ),
  } satisfies Record<keyof Statistics, TSchema>,
  closed,
);

/** The body that changes a division. An absent field keeps its value. */
export const DivisionChanges = Type.Partial(
  Type.Object({ name: DivisionName, logo: Url, fanpage: Url } satisfies Record<SnakeCase<keyof Changes>, TSchema>),
  closed,
);
