import { type TObject, type TSchema, Type } from 'typebox';
import { closed } from './closed.ts';
import { nullable } from './nullable.ts';

/** A page of items. Contract, section 5. */
export const pageOf = <Item extends TSchema>(item: Item) =>
  Type.Object(
    {
      results: Type.Array(item),
      next: nullable(Type.String({ description: 'Relative reference of the next page, or null at the end.' })),
      previous: nullable(
        Type.String({ description: 'Relative reference of the previous page, or null at the beginning.' }),
      ),
      count: Type.Optional(Type.Integer({ minimum: 0, description: 'Only with `count=true`.' })),
    },
    closed,
  ) satisfies TObject;
