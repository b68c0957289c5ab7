import type { InferKyselyDB } from '@mikro-orm/postgresql';
import {
  DummyDriver,
  type Generated,
  type GeneratedAlways,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { entities } from './entities/index.ts';

type Described = InferKyselyDB<(typeof entities)[number]>;

/** The tables by their names, with the types of their columns as the entities describe them. */
export interface Tables extends Omit<Described, 'user_account' | 'division'> {
  // What the database fills in is not known to the types of the ORM.
  readonly user_account: Omit<Described['user_account'], 'search' | 'version'> & {
    readonly search: GeneratedAlways<string>;
    readonly version: Generated<number>;
  };
  readonly division: Omit<Described['division'], 'version'> & { readonly version: Generated<number> };
}

/** Builds statements that the compiler checks against the entities. It has no connection and runs nothing. */
export const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
