import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { makeCommand } from './make-command.ts';
import { withFiles } from './options.ts';
import { withPortsOfOwner } from './with-database.ts';

/** Makes the `import` command, which stores all divisions and users of its files or none. Contract §10. */
export const importFiles = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'import',
      description: 'import divisions and users from CSV files; stores all lines, or none and reports the invalid ones',
      examples: [
        ['import --divisions divisions.csv --users users.csv', 'Import divisions, then their users'],
        ['import --users users.csv --json', 'Print JSON for programs: the counts or the faults'],
      ],
      options: (command) =>
        withFiles(command, {
          divisions: 'CSV file; required column: name; optional columns: id, logo, fanpage',
          users:
            'CSV file; required columns: username, division_id; optional columns: other fields, groups (separated by ";"), password or password_hash',
        }).addHelpText(
          'after',
          '\nThe first line must contain the column names. docs/import.md describes the columns.',
        ),
    },
    async (paths: { divisions?: string; users?: string }) => {
      const { runImport } = await import('./run-import.ts');
      return runImport(paths, {}, context, (use) => withPortsOfOwner(context, use));
    },
  );
