import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { makeCommand } from './make-command.ts';
import { withFiles } from './options.ts';
import { withPortsOfOwner } from './with-database.ts';

/** `import`: many divisions and users from files, all of them or none. Contract §10. */
export const importFiles = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'import',
      description: 'load divisions and users from CSV files: all of them, or nothing and what is wrong with which line',
      examples: [
        ['import --divisions divisions.csv --users users.csv', 'Divisions first, then their users'],
        ['import --users users.csv --json', 'For programs: the counts, or every fault'],
      ],
      options: (command) =>
        withFiles(command, {
          divisions: 'columns name; id, logo, fanpage',
          users: 'columns username, division_id; the other fields, groups separated by ";", password or password_hash',
        }).addHelpText('after', '\nThe first line names the columns; docs/import.md says what may be in them.'),
    },
    async (paths: { divisions?: string; users?: string }) => {
      const { runImport } = await import('./run-import.ts');
      return runImport(paths, context, (use) => withPortsOfOwner(context, use));
    },
  );
