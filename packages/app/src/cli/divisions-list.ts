import type { DivisionRepository, Position } from '@chapter/domain';
import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { formatTable } from './format.ts';
import { divisionJson } from './json.ts';
import { makeCommand } from './make-command.ts';
import { withPorts } from './with-database.ts';

/** All divisions in the order of their names, however many pages that takes. */
async function* everyDivision(divisions: DivisionRepository) {
  const { listQuery } = await import('@chapter/domain');
  let position: Position | null = null;
  do {
    const { items, next } = await divisions.list(listQuery({ order: ['name'], position }));
    yield* items;
    position = next;
  } while (position);
}

/** `divisions list`. */
export const divisionsList = (context: CliContext): Command =>
  makeCommand(
    context,
    { name: 'list', description: 'list the divisions', examples: [['divisions list --json', 'For programs']] },
    () =>
      withPorts(context, async ({ divisions }) => {
        const value = (await Array.fromAsync(everyDivision(divisions))).map(divisionJson);
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
