import type { Command } from 'commander';
import type { ImportOptions } from '../bulk/import-files.ts';
import type { CliContext } from './context.ts';
import { makeCommand } from './make-command.ts';
import { withFiles, withForce } from './options.ts';
import { withPortsOfOwner } from './with-database.ts';

interface Options extends ImportOptions {
  readonly divisions?: string;
  readonly users?: string;
}

/** Makes the `import` command, which stores all divisions and users of its files or none. Contract §10. */
export const importFiles = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'import',
      description:
        'import divisions and users from CSV files; if any line is invalid, store nothing and report the invalid lines',
      examples: [
        ['import --divisions divisions.csv --users users.csv', 'Import divisions, then their users'],
        ['import --users users.csv --json', 'Print JSON for programs: the counts or the faults'],
        ['import --users users.csv --update --dry-run', 'Show how many users would be created and changed'],
      ],
      options: (command) =>
        withForce(
          withFiles(command, {
            divisions:
              'CSV file; required column: name (with --update, id or name); optional columns: id, logo, fanpage',
            users:
              'CSV file; required columns: username, division_id (with --update, id or username); optional columns: other fields, groups (separated by ";"), password or password_hash',
          }),
        )
          .option('--update', 'change stored users and divisions that match a line by id or, without an id, by name')
          .option('--dry-run', 'check the files and print what would be created and changed, but change nothing')
          .hook('preAction', (called) => {
            const { force, update, users } = called.opts<Options>();
            if (force && !update) called.error('error: --force needs --update');
            if (force && users === undefined) called.error('error: --force needs --users');
          })
          .addHelpText(
            'after',
            '\nThe first line must contain the column names. docs/import.md describes the columns.',
          ),
    },
    async ({ divisions, users, ...options }: Options) => {
      const { runImport } = await import('./run-import.ts');
      const paths = {
        ...(divisions === undefined ? {} : { divisions }),
        ...(users === undefined ? {} : { users }),
      };
      return runImport(paths, options, context, (use) => withPortsOfOwner(context, use));
    },
  );
