import { resolve } from 'node:path';
import type { BulkFile, ExportInBulk, Sink } from '@chapter/adapters-postgres';
import { OperatorError } from '../errors/operator-error.ts';
import { beginFile, type NewFile } from '../files/new-file.ts';
import { formatCount } from '../text/format-count.ts';
import type { Result } from './make-command.ts';

const FILES = ['divisions', 'users'] as const;

/** Writes the export files and describes the result. */
export const runExport = async (
  paths: Readonly<Partial<Record<BulkFile, string>>>,
  exportInBulk: ExportInBulk,
  { force, withHashes }: { readonly force: boolean; readonly withHashes: boolean },
): Promise<Result> => {
  const { divisions, users } = paths;
  if (divisions !== undefined && users !== undefined && resolve(divisions) === resolve(users)) {
    throw new OperatorError('--divisions and --users name the same file; use two files.');
  }
  const files: NewFile[] = [];
  try {
    const sinks: { [File in BulkFile]?: Sink } = {};
    for (const kind of FILES) {
      const path = paths[kind];
      if (path === undefined) continue;
      const file = await beginFile(path, force);
      files.push(file);
      sinks[kind] = file.write;
    }
    const counts = await exportInBulk(sinks, { withHashes });
    for (const file of files) await file.keep();
    const things = FILES.flatMap((kind) =>
      counts[kind] === undefined ? [] : [formatCount(counts[kind], kind.slice(0, -1))],
    );
    return { value: counts, text: `Exported ${things.join(' and ')}.\n` };
  } finally {
    await Promise.all(files.map((file) => file.discard()));
  }
};
