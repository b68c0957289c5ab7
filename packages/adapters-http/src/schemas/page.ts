import { type TObject, type TSchema, Type } from 'typebox';
import { closed } from './closed.ts';
import { nullableSchema } from './nullable-schema.ts';

/** Returns the schema of a page of the list at `path` (contract §5). */
export const pageSchema = <Item extends TSchema>(path: string, item: Item) =>
  Type.Object(
    {
      results: Type.Array(item),
      next: nullableSchema(
        Type.String({
          description: 'Relative reference of the next page, or null on the last page.',
          examples: [`${path}?cursor=eyJ2IjoxfQ`],
        }),
      ),
      previous: nullableSchema(
        Type.String({
          description: 'Relative reference of the previous page, or null on the first page.',
          examples: [`${path}?cursor=eyJ2IjoyfQ`],
        }),
      ),
      count: Type.Optional(Type.Integer({ minimum: 0, description: 'Only with `count=true`.', examples: [42] })),
    },
    closed,
  ) satisfies TObject;
