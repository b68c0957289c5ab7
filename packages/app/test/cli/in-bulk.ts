import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { Pool } from 'pg';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { spawn } from '../../../../test-support/processes.ts';
import { testSettings } from '../../../../test-support/service-process.ts';
import { makeChapter } from './call.ts';
import { migrated } from './operator.ts';

/** Sets up a database with the schema and a folder for files, and returns functions that use them. */
export const useBulk = () => {
  const database = useTestDatabase(migrated);
  const folder = makeFolder();
  let pool: Pool | undefined;
  before(() => {
    pool = new Pool({ connectionString: database.url, max: 2 });
    // The hook that drops the database runs before the pool is closed.
    pool.on('error', () => {});
  });
  after(() => pool?.end());
  const sql = async <Row extends object>(text: string): Promise<Row[]> => (await pool?.query<Row>(text))?.rows ?? [];
  const { chapter, fault } = makeChapter(() => ({ DATABASE_URL: database.url }));
  return {
    chapter: (...args: string[]) => chapter(args),
    fault: (...args: string[]) => fault(args),
    sql,
    /** Returns columns of rows in PostgreSQL's text format: nothing for null, and "" for an empty text. */
    rows: async (columns: string, from: string): Promise<readonly string[]> =>
      (await sql<{ row: string }>(`select row(${columns})::text as row from ${from}`)).map(({ row }) => row),
    url: (): string => database.url,
    path: (name: string): string => join(folder, name),
    read: (name: string): Promise<string> => readFile(join(folder, name), 'utf8'),
    file: async (name: string, text: string | Uint8Array): Promise<string> => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    },
    empty: async (): Promise<void> =>
      void (await sql('delete from audit_entry; delete from user_account; delete from division')),
    /** Returns the numbers of divisions, users and audit entries. */
    stored: async (): Promise<readonly number[]> => {
      const [row] = await sql<Record<string, number>>(`select (select count(*)::int from division) d,
        (select count(*)::int from user_account) u, (select count(*)::int from audit_entry) a`);
      return Object.values(row ?? {});
    },
    /** Calls the command line in a child process that can receive signals; the status is null if a signal killed it. */
    begin: (args: readonly string[], settings: Readonly<Record<string, string>> = {}) => {
      const child = spawn(process.execPath, ['packages/app/src/cli/main.ts', ...args], {
        env: { PATH: process.env['PATH'], ...testSettings, DATABASE_URL: database.url, ...settings },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const closed = once(child, 'close') as Promise<[number | null]>;
      const called = Promise.all([closed, text(child.stdout), text(child.stderr)]).then(([[status], out, err]) => ({
        status,
        out,
        err,
      }));
      return { child, called };
    },
    done: async (...args: string[]): Promise<unknown> => {
      const { err, out, status } = await chapter([...args, '--json']);
      expect(status, err).to.equal(0);
      return JSON.parse(out);
    },
  };
};

/** What an import prints that refuses lines of the file users.csv. */
export const badUsers = (...lines: readonly string[]): string =>
  `${lines.map((line) => `users.csv, ${line}\n`).join('')}${lines.length} bad line${lines.length > 1 ? 's' : ''}; nothing was imported.\n`;

/** The first division of {@link DIVISIONS}. */
export const NORTH = '0190a000-0000-7000-8000-0000000000a0';
/** The second division of {@link DIVISIONS}. */
export const SOUTH = '0190a000-0000-7000-8000-0000000000b0';

/** The divisions file of the tests. */
export const DIVISIONS = `id,name,logo,fanpage\n${NORTH},North,https://example.org/n.png,\n${SOUTH},South,,\n`;
