import { resolve } from 'node:path';
import type { BulkFile, ExportInBulk, Sink } from '@chapter/adapters-postgres';
import { OPERATOR } from '@chapter/domain';
import { OperatorError } from '../../errors/operator-error.ts';
import { beginFile, type NewFile } from '../../files/new-file.ts';
import { formatCount } from '../../text/text.ts';
import { defineCommand } from '../steps/define-command.ts';
import { FILE_OPTIONS, type FileOptions, findFilesFault, withFiles } from '../steps/options.ts';
import { withPorts } from '../steps/with-database.ts';

interface Options extends FileOptions {
  readonly withHashes?: boolean;
  readonly force?: boolean;
}

const runExport = async ({ force = false, withHashes = false, ...paths }: Options, exportInBulk: ExportInBulk) => {
  const files: NewFile[] = [];
  try {
    const sinks: { [File in BulkFile]?: Sink } = {};
    for (const kind of FILE_OPTIONS) {
      const path = paths[kind];
      if (path === undefined) continue;
      const file = await beginFile(path, force);
      files.push(file);
      sinks[kind] = file.write;
    }
    const counts = await exportInBulk(OPERATOR, sinks, { withHashes });
    for (const file of files) await file.keep();
    const things = FILE_OPTIONS.flatMap((kind) =>
      counts[kind] === undefined ? [] : [formatCount(counts[kind], kind.slice(0, -1))],
    );
    return { value: counts, text: `Exported ${things.join(' and ')}.\n` };
  } finally {
    await Promise.all(files.map((file) => file.discard()));
  }
};

/** The `export` command, which writes all divisions and users to files that `import` reads. Contract §10. */
export const exportFiles = defineCommand({
  name: 'export',
  description: 'write all divisions and users to CSV files that only you can read',
  examples: [
    ['export --divisions divisions.csv --users users.csv', 'Export a consistent snapshot of both'],
    ['export --users users.csv --with-hashes --force', 'Include password hashes, and overwrite the file'],
  ],
  options: (command) =>
    withFiles(command, { divisions: 'file to write the divisions to', users: 'file to write the users to' })
      .option(
        '--with-hashes',
        'add the column password_hash; keep the file secret, because hashes allow guessing passwords',
      )
      .option('--force', 'overwrite existing files'),
  findFault: ({ withHashes, ...files }: Options) =>
    findFilesFault(files) ?? (withHashes && files.users === undefined ? '--with-hashes needs --users' : undefined),
  run: (options, context) => {
    const { divisions, users } = options;
    if (divisions !== undefined && users !== undefined && resolve(divisions) === resolve(users)) {
      throw new OperatorError('--divisions and --users name the same file; use two files.');
    }
    return withPorts(context, ({ exportInBulk }) => runExport(options, exportInBulk));
  },
});
