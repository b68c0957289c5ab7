import { availableParallelism } from 'node:os';
import type { BulkFile, BulkPlan, IndexProgress, MissingUser, PlannedMissing } from '@chapter/adapters-postgres';
import { Option } from 'commander';
import type { BadLinesError, ImportFiles, ImportOptions } from '../../bulk/import-files.ts';
import { badLinesText, type LineFault, MAX_REPORTED_LINES } from '../../bulk/report.ts';
import type { CsvFile } from '../../csv/csv-file.ts';
import { OperatorError } from '../../errors/operator-error.ts';
import { poolThreads } from '../../passwords/scrypt-hash.ts';
import { systemClock } from '../../system/clock-and-ids.ts';
import { Interrupted } from '../../system/signals.ts';
import { formatCount, listNames, snakeCased } from '../../text/text.ts';
import type { CliContext } from '../steps/context.ts';
import { defineCommand, makeListPrinter, type Result } from '../steps/define-command.ts';
import type { ListFormat } from '../steps/format.ts';
import {
  countOption,
  FILE_OPTIONS,
  type FileOptions,
  findFilesFault,
  formatOption,
  withFiles,
  withForce,
} from '../steps/options.ts';
import { withProgressBar } from '../steps/progress-bar.ts';
import { withLoadsOfOwner } from '../steps/with-database.ts';

interface Options extends ImportOptions, FileOptions {
  readonly format?: ListFormat;
}

const UPDATE_HINT = ' To change users and divisions that are already stored, add --update.';

const describeBadLines = ({ files }: BadLinesError): Result => {
  const all = files.flatMap(({ faults }) => faults);
  const places = [...new Set(all.map(({ file, line }) => `${file} ${line}`))].slice(0, MAX_REPORTED_LINES);
  const faults = all.filter(({ file, line }: LineFault) => places.includes(`${file} ${line}`));
  const lines = files.reduce((sum, file) => sum + file.lines, 0);
  const more = lines > places.length ? ` The first ${places.length} are listed above.` : '';
  const hint = files.some(({ needUpdate }) => needUpdate) ? UPDATE_HINT : '';
  const sentence = `${formatCount(lines, 'bad line')}; nothing was imported.${more}${hint}`;
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

const MISSING = {
  columns: ['username', 'first name', 'last name', 'division', 'is active'],
  cellsOf: (user: MissingUser) => [user.username, user.firstName, user.lastName, user.division, user.isActive],
  jsonOf: snakeCased,
};

const describeMissing = ({ changed, kept }: PlannedMissing, isDone: boolean): string => {
  const deactivated = `${formatCount(changed, 'user')} ${isDone ? '' : 'would be '}deactivated`;
  const text = `Missing: ${deactivated}, ${formatCount(kept.length, 'Leader')} kept active\n`;
  if (kept.length === 0) return text;
  const named = listNames(kept.map(({ division, username }) => `${username} (${division})`));
  return `${text}Kept, because their divisions would have no active Leader: ${named}\n`;
};

/**
 * Prints the result of an import with the users that `read` yields: as one JSON object, or the text to standard error
 * and the users to standard output, as a table or as CSV.
 */
const printMissing = async (
  { text, value }: Result,
  read: (receive: (users: readonly MissingUser[]) => Promise<void>) => Promise<void>,
  options: { readonly format?: ListFormat; readonly json: boolean },
  context: CliContext,
): Promise<void> => {
  const { end, print } = makeListPrinter(MISSING, context, options);
  if (options.json) context.write(`${JSON.stringify(value, null, 2).slice(0, -2)},\n  "missing": `);
  else context.writeError(text);
  await read(print);
  end();
  if (options.json) context.write('}\n');
};

/** Describes what an import has done or, for a dry run, would do. Without options, as release 0.1.0 did. */
const describePlan = (
  { divisions, missing, users }: BulkPlan,
  { divisions: divisionsFile, dryRun = false, update = false, users: usersFile }: Options,
): Result => {
  if (!dryRun && !update) {
    const text = `Imported ${formatCount(divisions.created, 'division')} and ${formatCount(users.created, 'user')}.\n`;
    return { value: { imported: true, divisions: divisions.created, users: users.created }, text };
  }
  const text = [
    divisionsFile ? countsText('Divisions', divisions, !dryRun) : '',
    usersFile ? countsText('Users', users, !dryRun) : '',
    missing ? describeMissing(missing, !dryRun) : '',
  ].join('');
  const deactivation = missing ? { deactivated: missing.changed, kept: missing.kept } : {};
  return {
    value: { imported: !dryRun, divisions, users, ...deactivation },
    text: dryRun ? `${text}Nothing was imported.\n` : text,
  };
};

/** Node's thread pool computes the hashes, so more hashes than threads would only wait. */
const HASH_CONCURRENCY = Math.min(poolThreads(), availableParallelism());

const KEPT_INDEXES: Readonly<Record<Parameters<IndexProgress['kept']>[0], string>> = {
  'not owner': 'only the owner of the tables can rebuild them; set OWNER_DATABASE_URL',
  locked: 'other transactions are using the tables',
};

/** Imports the open files and describes the result, or calls `onImported` and prints it with the missing users. */
const importOpened = (
  files: ImportFiles,
  { json, onImported, ...options }: Options & { readonly json: boolean; readonly onImported: () => void },
  context: CliContext,
): Promise<Result | undefined> => {
  const hashing = (passwords: number): void =>
    context.writeError(`Hashing ${formatCount(passwords, 'password')}; this is slow by design.\n`);
  const keptIndexes: IndexProgress['kept'] = (reason) =>
    context.writeError(`The import keeps the indexes, which makes it slower: ${KEPT_INDEXES[reason]}.\n`);
  return withLoadsOfOwner(context, ({ loadInBulk }, { passwordMinLength, scrypt }) =>
    withProgressBar(context, async (progress) => {
      const [{ BadLinesError, makeImportFiles, makeReadMissing }, { commonPasswords }, { makeScryptPasswords }] =
        await Promise.all([
          import('../../bulk/import-files.ts'),
          import('../../passwords/common-passwords.ts'),
          import('../../passwords/scrypt-passwords.ts'),
        ]);
      const hasher = makeScryptPasswords(scrypt, { maxRunning: HASH_CONCURRENCY });
      const callbacks = { hashing, keptIndexes, progress };
      const rules = { clock: systemClock, commonPasswords, passwordMinLength };
      const ports = { loadInBulk, ...rules, ...callbacks, hasher, hashConcurrency: HASH_CONCURRENCY };
      try {
        const result = describePlan(await makeImportFiles(ports)(files, options), options);
        const { users } = files;
        if (options.missing !== 'list' || !users) return result;
        onImported();
        progress.end();
        const readMissing = makeReadMissing(ports);
        await printMissing(result, (receive) => readMissing(users, receive), { ...options, json }, context);
      } catch (error) {
        if (error instanceof BadLinesError) return describeBadLines(error);
        throw error;
      }
      return undefined;
    }),
  );
};

/** The `import` command, which stores all divisions and users of its files or none. Contract §10. */
export const importFiles = defineCommand({
  name: 'import',
  description:
    'import divisions and users from CSV files; if any line is invalid, store nothing and report the invalid lines',
  examples: [
    ['import --divisions divisions.csv --users users.csv', 'Import divisions, then their users'],
    ['import --users users.csv --json', 'Print JSON for programs: the counts or the faults'],
    ['import --users users.csv --update --dry-run', 'Show how many users would be created and changed'],
    ['import --users users.csv --update --dry-run --missing list', 'Print the users that the file does not have'],
  ],
  options: (command) =>
    withForce(
      withFiles(command, {
        divisions: 'CSV file; required column: name (with --update, id or name); optional columns: id, logo, fanpage',
        users:
          'CSV file; required columns: username, division_id or division (with --update, id or username); optional columns: other fields, groups (separated by ";"), password or password_hash',
      }),
    )
      .option('--update', 'change stored users and divisions that match a line by id or, without an id, by name')
      .addOption(
        new Option(
          '--missing <list|deactivate>',
          'with --update: print the stored users that the file does not have, or deactivate them; last Leaders stay active',
        ).choices(['list', 'deactivate']),
      )
      .addOption(
        countOption('max-missing', 'deactivate at most this many users; default: half', undefined, 999_999_999),
      )
      .addOption(formatOption('with --missing list: print '))
      .option('--dry-run', 'check the files and print what would be created and changed, but change nothing')
      .addHelpText('after', '\nThe first line must contain the column names. docs/import.md describes the columns.'),
  findFault: ({ force, format, maxMissing, missing, update, ...files }: Options) => {
    if (missing !== undefined && !update) return '--missing needs --update';
    if (missing !== undefined && files.users === undefined) return '--missing needs --users';
    if (maxMissing !== undefined && missing !== 'deactivate') return '--max-missing needs --missing deactivate';
    if (format !== undefined && missing !== 'list') return '--format needs --missing list';
    if (force && !update) return '--force needs --update';
    if (force && files.users === undefined) return '--force needs --users';
    return findFilesFault(files);
  },
  run: async (options, context, json) => {
    let outcome = 'nothing was imported';
    const onImported = (): void => {
      if (!options.dryRun) outcome = 'the import is complete, but the list of missing users is not';
    };
    const files: { [File in BulkFile]?: CsvFile } = {};
    const { openCsv } = await import('../../csv/csv-file.ts');
    try {
      for (const file of FILE_OPTIONS) {
        const path = options[file];
        if (path !== undefined) files[file] = await openCsv(path);
      }
      return await importOpened(files, { ...options, json, onImported }, context);
    } catch (error) {
      throw error instanceof Interrupted ? new Interrupted(error.signal, outcome) : error;
    } finally {
      await Promise.all([files.divisions?.close(), files.users?.close()]);
    }
  },
});
