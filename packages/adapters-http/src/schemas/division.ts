import type { DivisionChanges as Changes, DivisionListField, SnakeCase } from '@chapter/domain';
import { type TSchema, Type } from 'typebox';
import { closed, DivisionId, DivisionName, nullableSchema, Url } from './fields.ts';

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

/** The body that changes a division. An absent field keeps its value. */
export const DivisionChanges = Type.Partial(
  Type.Object({ name: DivisionName, logo: Url, fanpage: Url } satisfies Record<SnakeCase<keyof Changes>, TSchema>),
  closed,
);
