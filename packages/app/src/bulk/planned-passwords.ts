import type { BulkLoad } from '@chapter/adapters-postgres';
import { type CommonPasswords, type Fault, guessableFault } from '@chapter/domain';
import type { CsvFile } from '../csv/csv-file.ts';
import { readRows } from './read-rows.ts';
import type { FileColumns } from './row-rules.ts';

/** Number of lines whose usernames and emails are read by one query. */
const LINES_PER_QUERY = 1000;

interface GivenPassword {
  readonly line: number;
  readonly password: string;
}

async function* passwordBatches(file: CsvFile, columns: FileColumns): AsyncGenerator<readonly GivenPassword[]> {
  let batch: GivenPassword[] = [];
  for await (const { cells, line } of readRows(file, columns, () => {})) {
    const password = typeof cells === 'string' ? undefined : cells['password'];
    if (password === undefined) continue;
    batch.push({ line, password });
    if (batch.length < LINES_PER_QUERY) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/**
 * Compares passwords with the usernames and emails that the users will have, because a file that updates users need not
 * contain them. Rejects the lines with a guessable password and yields their faults. Reads the file again, so that
 * plain-text passwords are kept nowhere else.
 */
export async function* rejectGuessable(
  load: Pick<BulkLoad, 'plannedNames' | 'rejectUsers'>,
  file: CsvFile,
  columns: FileColumns,
  commonPasswords: CommonPasswords,
): AsyncGenerator<Fault & { readonly line: number }> {
  for await (const batch of passwordBatches(file, columns)) {
    const names = await load.plannedNames(batch.map(({ line }) => line));
    const faults = batch.flatMap(({ line, password }) => {
      const planned = names.get(line);
      const weak = planned && guessableFault(password, commonPasswords, [planned.username, planned.email]);
      return weak ? [{ line, ...weak }] : [];
    });
    if (faults.length > 0) await load.rejectUsers(faults.map(({ line }) => line));
    yield* faults;
  }
}
