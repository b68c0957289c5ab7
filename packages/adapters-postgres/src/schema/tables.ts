import type { InferKyselyDB } from '@mikro-orm/postgresql';
import {
  DummyDriver,
  type Generated,
  type GeneratedAlways,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';
import type { entities } from './entities/index.ts';

type EntityTables = InferKyselyDB<(typeof entities)[number]>;

/** The tables by name, with the column types that the entities define. */
export interface Tables extends Omit<EntityTables, 'user_account' | 'division' | 'audit_entry'> {
  // The ORM's types do not mark the columns that the database fills in.
  readonly user_account: Omit<EntityTables['user_account'], 'search' | 'version'> & {
    readonly search: GeneratedAlways<string>;
    readonly version: Generated<number>;
  };
  readonly audit_entry: Omit<EntityTables['audit_entry'], 'xid'> & { readonly xid: Generated<string> };
  readonly division: Omit<EntityTables['division'], 'version'> & { readonly version: Generated<number> };
}

/** Builds statements that the compiler checks against the entities. It has no connection and executes nothing. */
export const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** Returns the values of columns that an insertion has proposed, with which it updates a row that exists. */
export const excluded = <Column extends string>(columns: readonly Column[]) =>
  Object.fromEntries(columns.map((column) => [column, sql.ref(`excluded.${column}`)])) as {
    readonly [_ in Column]: RawBuilder<never>;
  };
