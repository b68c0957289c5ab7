import type { DivisionRepository, Position } from '@chapter/domain';
import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { formatTable } from './format.ts';
import { divisionJson } from './json.ts';
import { makeCommand } from './make-command.ts';
import { withPorts } from './with-database.ts';

/** Yields the divisions of all pages, ordered by name. */
async function* readAllDivisions(divisions: DivisionRepository) {
  const { listQuery } = await import('@chapter/domain');
  let position: Position | null = null;
  do {
    const { items, next } = await divisions.list(listQuery({ order: ['name'], position }));
    yield* items;
    position = next;
  } while (position);
}

/** Makes the `divisions list` command. */
export const divisionsList = (context: CliContext): Command =>
  makeCommand(
    context,
    {
      name: 'list',
      description: 'list the divisions',
      examples: [['divisions list --json', 'Print JSON for programs']],
    },
    () =>
      withPorts(context, async ({ divisions }) => {
        const value = (await Array.fromAsync(readAllDivisions(divisions))).map(divisionJson);
        const columns = ['id', 'name', 'logo', 'fanpage'] as const;
        return {
          value,
          text: formatTable(
            columns,
            value.map((division) => columns.map((column) => division[column])),
          ),
        };
      }),
  );
