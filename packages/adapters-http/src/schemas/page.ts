import type { Position } from '@chapter/domain';
import { type TObject, type TSchema, Type } from 'typebox';
import { closed } from './closed.ts';
import { nullableSchema } from './nullable-schema.ts';

const POSITION = ['2026-01-31T09:30:00.000Z', '019aa7c2-9b5c-7b1f-9d7a-6a51c2f0e7aa'];

/** Returns a cursor in the form that `encodeCursor` returns, with a made-up checksum. */
const exampleCursor = (side: Position['side']): string =>
  Buffer.from(JSON.stringify(['1n8d2xk', side, false, ...POSITION])).toString('base64url');

/** Returns the schema of a page of the list at `path` (contract §5). */
export const pageSchema = <Item extends TSchema>(path: string, item: Item) =>
  Type.Object(
    {
      results: Type.Array(item),
      next: nullableSchema(
        Type.String({
          description: 'Relative reference of the next page, or null on the last page.',
          examples: [`${path}?cursor=${exampleCursor('after')}`],
        }),
      ),
      previous: nullableSchema(
        Type.String({
          description: 'Relative reference of the previous page, or null on the first page.',
          examples: [`${path}?cursor=${exampleCursor('before')}`],
        }),
      ),
      count: Type.Optional(Type.Integer({ minimum: 0, description: 'Only with `count=true`.', examples: [42] })),
    },
    closed,
  ) satisfies TObject;
