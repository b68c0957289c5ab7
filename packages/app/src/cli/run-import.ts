import { availableParallelism } from 'node:os';
import type { BulkFile, IndexProgress } from '@chapter/adapters-postgres';
import { BadLinesError, type ImportOptions, makeImportFiles } from '../bulk/import-files.ts';
import type { Progress } from '../bulk/progress.ts';
import type { Config } from '../config/config.ts';
import { type CsvFile, openCsv } from '../csv/csv-file.ts';
import { makeScryptPasswords } from '../passwords/scrypt-passwords.ts';
import { formatCount } from '../text/format-count.ts';
import type { CliContext } from './context.ts';
import { describeBadLines, describePlan } from './describe-import.ts';
import { Interrupted } from './interrupted.ts';
import type { Result } from './make-command.ts';
import { makeProgressBar } from './progress-bar.ts';
import type { OperatorPorts } from './with-database.ts';

/** Node's thread pool computes the hashes, so more hashes than threads would only wait. */
const HASH_CONCURRENCY = Math.min(Number(process.env['UV_THREADPOOL_SIZE'] ?? 4), availableParallelism());

/** Opens the database, runs `use` on it and closes it. */
type WithPorts = (use: (ports: OperatorPorts, config: Config) => Promise<Result>) => Promise<Result>;

const KEPT_INDEXES: Readonly<Record<Parameters<IndexProgress['kept']>[0], string>> = {
  'not owner': 'only the owner of the tables can rebuild them; set OWNER_DATABASE_URL',
  locked: 'other transactions are using the tables',
};

/** Opens the files, imports them and describes the result. */
export const runImport = async (
  paths: Readonly<Partial<Record<BulkFile, string>>>,
  options: ImportOptions,
  { writeError, terminal }: CliContext,
  withPorts: WithPorts,
): Promise<Result> => {
  const files: { [File in BulkFile]?: CsvFile } = {};
  const hashing = (passwords: number): void =>
    writeError(`Hashing ${formatCount(passwords, 'password')}; this is slow by design.\n`);
  const keptIndexes: IndexProgress['kept'] = (reason) =>
    writeError(`The import keeps the indexes, which makes it slower: ${KEPT_INDEXES[reason]}.\n`);
  const importFiles = async (ports: OperatorPorts, { scrypt }: Config, progress: Progress): Promise<Result> => {
    const hasher = makeScryptPasswords(scrypt, { maxRunning: HASH_CONCURRENCY });
    const callbacks = { hashing, keptIndexes, progress };
    const run = makeImportFiles({ ...ports, ...callbacks, hasher, hashConcurrency: HASH_CONCURRENCY });
    return describePlan(await run(files, options), files, options);
  };
  try {
    for (const file of ['divisions', 'users'] as const) {
      const path = paths[file];
      if (path !== undefined) files[file] = await openCsv(path);
    }
    return await withPorts(async (ports, config) => {
      const progress = makeProgressBar(terminal);
      try {
        return await importFiles(ports, config, progress);
      } catch (error) {
        if (error instanceof BadLinesError) return describeBadLines(error);
        throw error;
      } finally {
        progress.end();
      }
    });
  } catch (error) {
    throw error instanceof Interrupted ? new Interrupted(error.signal, 'nothing was imported') : error;
  } finally {
    await Promise.all([files.divisions?.close(), files.users?.close()]);
  }
};
