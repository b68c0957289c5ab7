import { type Division, listQuery, OPERATOR, type Position } from '@chapter/domain/api';
import { defineCommand, defineGroup, defineListCommand, recordResult } from '../steps/define-command.ts';
import { findDivision } from '../steps/find.ts';
import { divisionJson } from '../steps/format.ts';
import { type CommandPorts, withPorts } from '../steps/with-database.ts';

const create = defineCommand({
  name: 'create',
  description: 'create a division',
  examples: [['divisions create --name North --fanpage https://example.org/north', 'Create a division without a logo']],
  options: (command) =>
    command
      .requiredOption('--name <name>', 'a unique name of 1 to 150 characters')
      .option('--logo <url>', 'URL of its logo')
      .option('--fanpage <url>', 'URL of its fan page'),
  run: (fields: { name: string; logo?: string; fanpage?: string }, context) =>
    withPorts(context, async ({ useCases }) =>
      recordResult(divisionJson(await useCases().createDivision(OPERATOR, () => ({ fields: { ...fields } })))),
    ),
});

/** Yields the divisions of all pages, ordered by name. */
export async function* readAllDivisions({ divisions }: CommandPorts): AsyncGenerator<Division> {
  let position: Position | null = null;
  do {
    const { items, next }: Awaited<ReturnType<typeof divisions.list>> = await divisions.list(
      listQuery({ order: ['name'], position }),
    );
    yield* items;
    position = next;
  } while (position);
}

const list = defineListCommand({
  name: 'list',
  description: 'list the divisions',
  examples: [['divisions list --json', 'Print JSON for programs']],
  columns: ['id', 'name', 'logo', 'fanpage'],
  cellsOf: ({ fanpage, id, logo, name }: Division) => [id, name, logo, fanpage],
  jsonOf: divisionJson,
  run: (_, print, context) =>
    withPorts(context, async (ports) => print(await Array.fromAsync(readAllDivisions(ports)))),
});

const rename = defineCommand({
  name: 'rename',
  description: 'rename a division',
  examples: [['divisions rename --division North --name Northwest', 'Its users see the new name at once']],
  options: (command) =>
    command
      .requiredOption('--division <division>', 'the division to rename, by name or id')
      .requiredOption('--name <name>', 'a unique name of 1 to 150 characters'),
  run: ({ division, name }: { division: string; name: string }, context) =>
    withPorts(context, async (ports) => {
      const { id } = await findDivision(ports, division);
      const renamed = await ports.useCases().updateDivision(OPERATOR, id, () => ({ fields: { name } }));
      return recordResult(divisionJson(renamed));
    }),
});

// It deletes no user, so it does not ask for confirmation.
const remove = defineCommand({
  name: 'delete',
  description: 'delete a division that has no users',
  examples: [['divisions delete --division North', 'Delete an empty division']],
  options: (command) => command.requiredOption('--division <division>', 'the division to delete, by name or id'),
  run: ({ division }: { division: string }, context) =>
    withPorts(context, async (ports) => {
      const { id, name } = await findDivision(ports, division);
      await ports.useCases().deleteDivision(OPERATOR, id);
      return { value: { id, name }, text: `Deleted the division ${name}.\n` };
    }),
});

/** The `divisions` commands. The API cannot create, rename or delete divisions. */
export const divisionCommands = defineGroup('divisions', 'create, list, rename and delete divisions', [
  create,
  list,
  rename,
  remove,
]);
