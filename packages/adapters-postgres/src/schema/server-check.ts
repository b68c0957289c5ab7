import type { EntityManager } from '@mikro-orm/postgresql';
import { EXTENSIONS } from './rights.ts';

/** What a server reports about itself. */
export interface ServerFacts {
  readonly version: string;
  /** `server_version_num`: 10,000 times the major version of PostgreSQL, plus the minor version. */
  readonly number: number;
  /** The necessary extensions that the database does not have and the server does not offer. */
  readonly missing: readonly string[];
}

const OLDEST_MAJOR = 15;

/** Databases with PostgreSQL's protocol that cannot hold the schema, by the text of `version()`, and what they lack. */
const INCOMPATIBLE: readonly (readonly [RegExp, string])[] = [
  [/\bCockroachDB\b/, 'CockroachDB, which lacks the extension btree_gin'],
  [/-YB-/, 'YugabyteDB, which lacks inverted indexes of several columns'],
];

/** Returns why migrations cannot succeed on a server, as a clause in which "it" is the server; undefined if they can. */
export const serverFault = ({ version, number, missing }: ServerFacts): string | undefined => {
  const advice = `use PostgreSQL ${OLDEST_MAJOR} or newer`;
  const [, incompatible] = INCOMPATIBLE.find(([pattern]) => pattern.test(version)) ?? [];
  if (incompatible !== undefined) return `it is ${incompatible}; ${advice}`;
  const major = Math.floor(number / 10_000);
  if (major < OLDEST_MAJOR) return `it is PostgreSQL ${major}; ${advice}`;
  if (missing.length === 0) return undefined;
  return `it does not offer the extension ${missing.join(' or ')}; install PostgreSQL's contrib modules, or allow the extension in the settings of the managed database`;
};

const READ_FACTS = `select version() as version, current_setting('server_version_num')::int as number,
  array(select needed from unnest(array['${EXTENSIONS.join("', '")}']) as needed
    where needed not in (select name from pg_available_extensions)
      and needed not in (select extname from pg_extension)) as missing`;

/** Checks before a migration that the server can hold the schema. @throws Error with the reason if it cannot. */
export const checkServer = async (em: EntityManager): Promise<void> => {
  const [facts] = await em.execute<readonly [ServerFacts]>(READ_FACTS);
  const fault = serverFault(facts);
  if (fault !== undefined) throw new Error(`the migration was refused: ${fault}`);
};
