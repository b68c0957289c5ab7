import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';

/** Returns the schema with `null` as a second type (JSON Schema 2020-12). */
export const nullableSchema = <T extends TSchema & { type: string }>(schema: T): TUnsafe<Static<T> | null> =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] });
