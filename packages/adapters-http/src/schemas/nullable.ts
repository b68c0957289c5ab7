import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';

/** The same schema with null allowed, as JSON Schema 2020-12 writes it: a second type. */
export const nullable = <T extends TSchema & { type: string }>(schema: T): TUnsafe<Static<T> | null> =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] });
