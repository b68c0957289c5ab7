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

/** `export`: all divisions and users as files that `import` reads. Contract §10. */
export const exportFiles = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'export',
      description: 'write all divisions and users to CSV files that only you can read',
      examples: [
        ['export --divisions divisions.csv --users users.csv', 'Both, as they are at one moment'],
        ['export --users users.csv --with-hashes --force', 'To move members with their passwords; overwrites'],
      ],
      options: (command) =>
        withFiles(command, { divisions: 'where the divisions go', users: 'where the users go' })
          .option('--with-hashes', 'add the column password_hash; whoever has the file can try passwords on it')
          .option('--force', 'overwrite files that are there'),
    },
    async ({ divisions, force = false, users, withHashes = false }: Options) => {
      const { runExport } = await import('./run-export.ts');
      const paths = { ...(divisions ? { divisions } : {}), ...(users ? { users } : {}) };
      return withPorts(context, ({ exportInBulk }) => runExport(paths, exportInBulk, { force, withHashes }));
    },
  );
