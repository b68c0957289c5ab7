import type { BulkPassword } from '@chapter/adapters-postgres';
import { normalizePassword, type PasswordHasher } from '@chapter/domain';
import type { KnownColumns } from '../csv/columns.ts';
import type { CsvFile } from '../csv/csv-file.ts';
import type { Progress } from './progress.ts';
import { readRows } from './read-rows.ts';

/**
 * The hashes of the passwords in a file whose rows are in order, `atOnce` of them at a time, in the order of the lines.
 * The file is read once more for it, so that no password waits anywhere but there.
 */
export async function* hashPasswords(
  file: CsvFile,
  columns: KnownColumns,
  hasher: PasswordHasher,
  atOnce: number,
  progress: Progress,
): AsyncGenerator<BulkPassword> {
  const running: Promise<BulkPassword>[] = [];
  let done = 0;
  const next = async (): Promise<BulkPassword> => {
    const hashed = await (running.shift() as Promise<BulkPassword>);
    progress.to(++done);
    return hashed;
  };
  for await (const { cells, line } of readRows(file, columns, () => {})) {
    const password = typeof cells === 'string' ? undefined : cells['password'];
    if (password === undefined) continue;
    const hashing = hasher.hash(normalizePassword(password)).then((passwordHash) => ({ line, passwordHash }));
    // It is awaited in its turn; until then a failure must not end the process.
    hashing.catch(() => {});
    running.push(hashing);
    if (running.length >= atOnce) yield await next();
  }
  while (running.length > 0) yield await next();
}
