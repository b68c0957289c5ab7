import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { makeCommand } from './make-command.ts';
import { withFiles } from './options.ts';
import { withPorts } from './with-database.ts';

interface Options {
  readonly divisions?: string;
  readonly users?: string;
  readonly withHashes?: boolean;
  readonly force?: boolean;
}

/** Makes the `export` command, which writes all divisions and users to files that `import` reads. Contract §10. */
export const exportFiles = (context: CliContext): Command =>
  makeCommand(
    context,
    {
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
          .option('--force', 'overwrite existing files')
          .hook('preAction', (called) => {
            const { users, withHashes } = called.opts<Options>();
            if (withHashes && users === undefined) called.error('error: --with-hashes needs --users');
          }),
    },
    async ({ divisions, force = false, users, withHashes = false }: Options) => {
      const { runExport } = await import('./run-export.ts');
      const paths = { ...(divisions ? { divisions } : {}), ...(users ? { users } : {}) };
      return withPorts(context, ({ exportInBulk }) => runExport(paths, exportInBulk, { force, withHashes }));
    },
  );
