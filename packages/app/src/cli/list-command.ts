import type { Command } from 'commander';
import type { CliContext } from './context.ts';
import { makeJsonArray, makeTable } from './format.ts';
import { type CommandDescription, makePrintingCommand } from './make-command.ts';

/** How the items of a list are printed. */
interface ItemFormat<Item> {
  readonly columns: readonly string[];
  /** Returns the values of an item, in the order of the columns. */
  readonly cellsOf: (item: Item) => readonly unknown[];
  /** Returns the JSON value of an item. */
  readonly jsonOf: (item: Item) => unknown;
}

/** Prints a batch of items, and waits until standard output accepts more. */
export type PrintItems<Item> = (items: readonly Item[]) => Promise<void>;

/**
 * Makes a command that prints a list of any length in batches. With `--json`, the batches form one array. If the list fails
 * between two batches, the array has no end.
 */
export const makeListCommand = <Item>(
  { drained, write }: CliContext,
  description: CommandDescription,
  { cellsOf, columns, jsonOf }: ItemFormat<Item>,
  run: (options: never, print: PrintItems<Item>) => Promise<void>,
): Command =>
  makePrintingCommand(description, async (options, json) => {
    const array = makeJsonArray();
    const formatRows = makeTable(columns);
    let isEmpty = true;
    await run(options, async (items) => {
      isEmpty = false;
      write(json ? array.items(items.map(jsonOf)) : formatRows(items.map(cellsOf)));
      await drained();
    });
    if (json) write(array.end());
    else if (isEmpty) write(formatRows([]));
  });
