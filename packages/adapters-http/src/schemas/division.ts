import type { DivisionChanges as Changes, DivisionListField, SnakeCase } from '@chapter/domain';
import { type TSchema, Type } from 'typebox';
import { closed } from './closed.ts';
import { DivisionId, DivisionName, Url } from './fields.ts';
import { nullable } from './nullable.ts';

/** A division. Contract, section 4. */
export const Division = Type.Object(
  {
    id: DivisionId,
    name: Type.String({ examples: ['Riverside'] }),
    logo: nullable(Type.String({ examples: ['https://example.org/riverside.png'] })),
    fanpage: nullable(Type.String({ examples: ['https://example.org/riverside'] })),
  } satisfies Record<SnakeCase<DivisionListField>, TSchema>,
  closed,
);

/** What an update of a division may send: a field that is absent stays as it is. */
export const DivisionChanges = Type.Partial(
  Type.Object({ name: DivisionName, logo: Url, fanpage: Url } satisfies Record<SnakeCase<keyof Changes>, TSchema>),
  closed,
);
