import { availableParallelism } from 'node:os';
import type { BulkFile, BulkPlan, IndexProgress } from '@chapter/adapters-postgres';
import { badLinesText, type LineFault, MAX_REPORTED_LINES } from '../bulk/bad-lines.ts';
import { BadLinesError, type ImportOptions, makeImportFiles } from '../bulk/import-files.ts';
import type { Progress } from '../bulk/progress.ts';
import type { Config } from '../config/config.ts';
import { type CsvFile, openCsv } from '../csv/csv-file.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { makeScryptPasswords } from '../passwords/scrypt-passwords.ts';
import { formatCount } from '../text/format-count.ts';
import type { CliContext } from './context.ts';
import { Interrupted } from './interrupted.ts';
import type { Result } from './make-command.ts';
import { makeProgressBar } from './progress-bar.ts';
import type { OperatorPorts } from './with-database.ts';

/** Node's thread pool computes the hashes, so more hashes than threads would only wait. */
const HASHES_AT_ONCE = Math.min(Number(process.env['UV_THREADPOOL_SIZE'] ?? 4), availableParallelism());

/** Opens the database, runs `use` on it and closes it. */
type WithPorts = (use: (ports: OperatorPorts, config: Config) => Promise<Result>) => Promise<Result>;

const KEPT_INDEXES: Readonly<Record<Parameters<IndexProgress['kept']>[0], string>> = {
  'not owner': 'only the owner of the tables can rebuild them; set OWNER_DATABASE_URL',
  locked: 'other transactions are using the tables',
};

const describeBadLines = ({ files }: BadLinesError): Result => {
  const all = files.flatMap(({ faults }) => faults);
  const places = [...new Set(all.map(({ file, line }) => `${file} ${line}`))].slice(0, MAX_REPORTED_LINES);
  const faults = all.filter(({ file, line }: LineFault) => places.includes(`${file} ${line}`));
  const lines = files.reduce((sum, file) => sum + file.lines, 0);
  const more = lines > places.length ? ` The first ${places.length} are listed above.` : '';
  const sentence = `${formatCount(lines, 'bad line')}; nothing was imported.${more}`;
  return {
    value: { imported: false, bad_lines: lines, faults },
    text: '',
    failure: new OperatorError(`${badLinesText(faults)}${sentence}`),
  };
};

const countsText = (subject: string, { changed, created, unchanged }: BulkPlan['users'], isDone: boolean): string => {
  const [first, ...others] = [
    [created, isDone ? 'created' : 'would be created'],
    [changed, 'changed'],
    [unchanged, isDone ? 'unchanged' : 'left unchanged'],
  ].map(([count, what]) => `${Number(count).toLocaleString('en-US')} ${what}`);
  return `${subject}: ${first}, ${others.join(', ')}\n`;
};

/** Describes what an import has done or, for a dry run, would do. Without an option, the result is that of release 0.1.0. */
const describePlan = ({ divisions, users }: BulkPlan, { dryRun = false, update = false }: ImportOptions): Result => {
  if (!dryRun && !update) {
    const text = `Imported ${formatCount(divisions.created, 'division')} and ${formatCount(users.created, 'user')}.\n`;
    return { value: { imported: true, divisions: divisions.created, users: users.created }, text };
  }
  const text = `${countsText('Divisions', divisions, !dryRun)}${countsText('Users', users, !dryRun)}`;
  return { value: { imported: !dryRun, divisions, users }, text: dryRun ? `${text}Nothing was imported.\n` : text };
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
    const hasher = makeScryptPasswords(scrypt, { atOnce: HASHES_AT_ONCE });
    const callbacks = { hashing, keptIndexes, progress };
    const run = makeImportFiles({ ...ports, ...callbacks, hasher, hashesAtOnce: HASHES_AT_ONCE });
    return describePlan(await run(files, options), options);
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
