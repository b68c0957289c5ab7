import type { BulkPassword } from '@chapter/adapters-postgres';
import { normalizePassword, type PasswordHasher } from '@chapter/domain';
import type { CsvFile } from '../csv/csv-file.ts';
import type { Progress } from './progress.ts';
import { readRows } from './read-rows.ts';
import type { FileColumns } from './row-rules.ts';

/**
 * Hashes the passwords of a file without faults, `concurrency` at a time, and yields the hashes in line order. Reads the
 * file again, so that plain-text passwords are kept nowhere else.
 */
export async function* hashPasswords(
  file: CsvFile,
  columns: FileColumns,
  hasher: PasswordHasher,
  concurrency: number,
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
    // The promise is awaited later, in line order; a rejection before that must not end the process.
    hashing.catch(() => {});
    running.push(hashing);
    if (running.length >= concurrency) yield await next();
  }
  while (running.length > 0) yield await next();
}
