import { Command, type Option } from 'commander';
import type { CliContext } from './context.ts';
import { formatRecord, type ListFormat, makeJsonArray, makeRows } from './format.ts';
import { formatOption } from './options.ts';

/** The result of a command. */
export interface Result {
  /** Printed as JSON, for programs. */
  readonly value: unknown;
  /** Printed for people; ends with a line feed. */
  readonly text: string;
  /** An error to throw after the result is printed. For failures with more details in the JSON than in the message. */
  readonly failure?: Error;
}

/** Returns the result of a command that prints one object. */
export const recordResult = (value: Readonly<Record<string, unknown>>): Result => ({
  value,
  text: formatRecord(value),
});

/** Makes a command that runs in the context. */
export type MakeCommand = (context: CliContext) => Command;

interface Description<Options> {
  readonly name: string;
  readonly description: string;
  /** Complete calls without the program name, each with its effect. */
  readonly examples: readonly (readonly [call: string, effect: string])[];
  readonly options?: (command: Command) => Command;
  /** Returns the fault of options that do not fit together, or undefined. */
  readonly findFault?: (options: Options, context: CliContext) => string | undefined;
  readonly subcommands?: readonly MakeCommand[];
}

interface Definition<Options> extends Description<Options> {
  /**
   * Receives the options by their camel-case names, and whether to print JSON. Returns undefined if it has printed its
   * result itself, because that may be long.
   */
  readonly run: (
    options: Options,
    context: CliContext,
    json: boolean,
  ) => Result | undefined | Promise<Result | undefined>;
}

interface PrintedList<Item> {
  readonly columns: readonly string[];
  /** The columns whose values are instants. */
  readonly instants?: readonly string[];
  /** Returns the values of an item, in the order of the columns. */
  readonly cellsOf: (item: Item) => readonly unknown[];
  readonly jsonOf: (item: Item) => unknown;
}

interface ListDefinition<Options, Item> extends Description<Options>, PrintedList<Item> {
  /**
   * Receives the options by their camel-case names. `print` prints a batch and waits until standard output accepts
   * more. May return an error to throw after the list is printed.
   */
  readonly run: (
    options: Options,
    print: (items: readonly Item[]) => Promise<void>,
    context: CliContext,
  ) => Promise<Error | void>;
}

const exampleText = (examples: Description<never>['examples']): string => {
  if (examples.length === 0) return '';
  const lines = examples.flatMap(([call, effect]) => [`  # ${effect}`, `  chapter ${call}`]);
  return ['', 'Examples:', ...lines].join('\n');
};

/**
 * Reports an option with a value as wrong usage if it is given twice, because Commander would ignore the first value: a
 * call with two users would erase only one of them. A variadic option may be repeated.
 *
 * Also reports an empty value, which is usually an unset variable of a script. Options with a parser are
 * not checked, because their parser decides.
 */
const checkOptionValues = (command: Command): void => {
  const given = new Set<string>();
  for (const option of command.options.filter(({ required }) => required)) {
    const { flags, parseArg, variadic } = option;
    command.on(`option:${option.name()}`, (value: string) => {
      if (given.has(flags) && !variadic) command.error(`error: option '${flags}' is given more than once`);
      given.add(flags);
      if (value === '' && !parseArg) command.error(`error: option '${flags}' must not be empty`);
    });
  }
};

/** Returns the required options. Commander no longer checks them: it would report a misspelled one as missing. */
const takeRequiredOptions = (command: Command): readonly Option[] => {
  const required = command.options.filter(({ mandatory }) => mandatory);
  for (const option of required) option.makeOptionMandatory(false);
  return required;
};

const makeCommand = <Options extends object>(
  context: CliContext,
  { description, examples, findFault, name, options: addOptions, subcommands = [] }: Description<Options>,
  run: (options: Options, json: boolean) => Promise<void>,
): Command => {
  const command = new Command(name).description(description);
  addOptions?.(command);
  checkOptionValues(command);
  const required = takeRequiredOptions(command);
  for (const makeSubcommand of subcommands) command.addCommand(makeSubcommand(context));
  return command
    .option('--json', 'print the result as JSON')
    .addHelpText('after', exampleText(examples))
    .action(async () => {
      const missing = required.find((option) => command.getOptionValue(option.attributeName()) === undefined);
      if (missing) command.error(`error: required option '${missing.flags}' not specified`);
      const { json = false, ...given }: { json?: boolean } = command.optsWithGlobals();
      // Commander does not infer the types of options, so each command declares its own.
      const options = given as Options;
      const fault = json && 'format' in given ? 'give either --json or --format' : findFault?.(options, context);
      if (fault !== undefined) command.error(`error: ${fault}`);
      await run(options, json);
    });
};

/** Defines a command with the option `--json`, which prints its result. */
export const defineCommand =
  <Options extends object>({ run, ...description }: Definition<Options>): MakeCommand =>
  (context) =>
    makeCommand<Options>(context, description, async (options, json) => {
      const result = await run(options, context, json);
      if (!result) return;
      const { failure, text, value } = result;
      context.write(json ? `${JSON.stringify(value, null, 2)}\n` : text);
      if (failure) throw failure;
    });

/** Returns a function that prints a batch and waits until standard output accepts more, and one that ends the list. */
export const makeListPrinter = <Item>(
  { cellsOf, columns, instants = [], jsonOf }: PrintedList<Item>,
  { drained, write }: Pick<CliContext, 'drained' | 'write'>,
  { format, json }: { readonly format?: ListFormat | undefined; readonly json: boolean },
) => {
  const array = makeJsonArray();
  const formatRows = makeRows(format, columns, instants);
  let isEmpty = true;
  return {
    print: async (items: readonly Item[]): Promise<void> => {
      isEmpty = false;
      write(json ? array.items(items.map(jsonOf)) : formatRows(items.map(cellsOf)));
      await drained();
    },
    end: (): void => {
      if (json) write(array.end());
      else if (isEmpty) write(formatRows([]));
    },
  };
};

/**
 * Defines a command that prints a list of any length in batches, as a table or as CSV. With `--json`, the batches form
 * one array. If the list fails between two batches, the array has no end.
 */
export const defineListCommand =
  <Options extends object, Item>({ run, ...description }: ListDefinition<Options, Item>): MakeCommand =>
  (context) =>
    makeCommand<Options & { format?: ListFormat }>(
      context,
      {
        ...description,
        options: (command) => (description.options?.(command) ?? command).addOption(formatOption('print ')),
      },
      async (options, json) => {
        const { end, print } = makeListPrinter(description, context, { format: options.format, json });
        const failure = await run(options, print, context);
        end();
        if (failure instanceof Error) throw failure;
      },
    );

/** Defines a command that only has subcommands. A call without one prints its help as a usage error. */
export const defineGroup =
  (name: string, description: string, subcommands: readonly MakeCommand[]): MakeCommand =>
  (context) => {
    const command = new Command(name).description(description);
    for (const makeSubcommand of subcommands) command.addCommand(makeSubcommand(context));
    return command;
  };
