import { Readable } from 'node:stream';
import type { BulkLoad, BulkPassword } from '@chapter/adapters-postgres';
import { type Fault, nameFault, normalizePassword, type PasswordHasher } from '@chapter/domain/api';
import type { CsvFile } from '../csv/csv-file.ts';
import { type FileColumns, readRows } from './read-rows.ts';
import type { Progress } from './report.ts';

interface GivenPassword {
  readonly line: number;
  readonly password: string;
}

/** Reads the passwords of a file again, so that they are kept nowhere else in plain text. */
async function* readPasswords(file: CsvFile, columns: FileColumns): AsyncGenerator<GivenPassword> {
  for await (const { cells, line } of readRows(file, columns, () => {})) {
    const password = typeof cells === 'string' ? undefined : cells['password'];
    if (password !== undefined) yield { line, password };
  }
}

/** Hashes the passwords of a file without faults, `concurrency` at a time, and yields the hashes in line order. */
export async function* hashPasswords(
  file: CsvFile,
  columns: FileColumns,
  hasher: PasswordHasher,
  concurrency: number,
  progress: Progress,
): AsyncGenerator<BulkPassword> {
  const hash = async ({ line, password }: GivenPassword): Promise<BulkPassword> => ({
    line,
    passwordHash: await hasher.hash(normalizePassword(password)),
  });
  let done = 0;
  const hashes = Readable.from(readPasswords(file, columns)).map(hash, { concurrency });
  for await (const hashed of hashes as AsyncIterable<BulkPassword>) {
    progress.to(++done);
    yield hashed;
  }
}

const LINES_PER_QUERY = 1000;

/**
 * Compares passwords with the usernames and emails that the users will have, because a file that updates users need not
 * contain them. Rejects the lines with a guessable password and yields their faults.
 */
export async function* rejectGuessable(
  load: Pick<BulkLoad, 'plannedNames' | 'rejectUsers'>,
  file: CsvFile,
  columns: FileColumns,
): AsyncGenerator<Fault & { readonly line: number }> {
  const check = async (batch: readonly GivenPassword[]) => {
    const names = await load.plannedNames(batch.map(({ line }) => line));
    const faults = batch.flatMap(({ line, password }) => {
      const planned = names.get(line);
      const weak = planned && nameFault(password, [planned.username, planned.email]);
      return weak ? [{ line, ...weak }] : [];
    });
    if (faults.length > 0) await load.rejectUsers(faults.map(({ line }) => line));
    return faults;
  };
  let batch: GivenPassword[] = [];
  for await (const given of readPasswords(file, columns)) {
    batch.push(given);
    if (batch.length < LINES_PER_QUERY) continue;
    yield* await check(batch);
    batch = [];
  }
  if (batch.length > 0) yield* await check(batch);
}
