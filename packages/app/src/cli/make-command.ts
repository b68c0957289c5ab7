import { Command } from 'commander';
import type { CliContext } from './context.ts';

/** What a command has found or made. */
export interface Result {
  /** For programs: printed as JSON. */
  readonly value: unknown;
  /** For people. It ends with a line feed. */
  readonly text: string;
  /** Thrown once the value is printed, where programs are to know more of a failure than people are told. */
  readonly failure?: Error;
}

/** What a command is called, what it does, and how it is called, for its help. */
export interface CommandDescription {
  readonly name: string;
  readonly description: string;
  /** Complete calls without the name of the program, each with what it does. */
  readonly examples: readonly (readonly [call: string, does: string])[];
  /** Adds the options of its own. */
  readonly options?: (command: Command) => Command;
}

/**
 * Lets a command ask for what is required only when it knows all that is given: who misspells an option is told of that,
 * and not that it is missing.
 */
const requireOptionsLast = (command: Command): Command => {
  const required = command.options.filter(({ mandatory }) => mandatory);
  for (const option of required) option.makeOptionMandatory(false);
  return command.hook('preAction', (called) => {
    for (const option of required) {
      if (called.getOptionValue(option.attributeName()) === undefined)
        called.error(`error: required option '${option.flags}' not specified`);
    }
  });
};

/** A command that prints what it finds. `run` is given the options by their names in camel case. */
export const makeCommand = (
  { write }: CliContext,
  { name, description, examples, options: addOptions = (command) => command }: CommandDescription,
  // Each command knows what its own options give; commander does not tell.
  run: (options: never) => Result | Promise<Result>,
): Command =>
  requireOptionsLast(addOptions(new Command(name).description(description)))
    .option('--json', 'print one JSON value')
    .addHelpText('after', () => exampleText(examples))
    .action(async (_: unknown, command: Command) => {
      const { json, ...options } = command.optsWithGlobals<{ json?: boolean }>();
      const { failure, text, value } = await run(options as never);
      write(json ? `${JSON.stringify(value, null, 2)}\n` : text);
      if (failure) throw failure;
    });

const exampleText = (examples: CommandDescription['examples']): string => {
  if (examples.length === 0) return '';
  const lines = examples.flatMap(([call, does]) => [`  # ${does}`, `  chapter ${call}`]);
  return ['', 'Examples:', ...lines].join('\n');
};

/** A command that only has others below it: called by itself, it tells what they are, as wrong usage. */
export const makeCommandGroup = (name: string, description: string, commands: readonly Command[]): Command => {
  const parent = new Command(name).description(description);
  for (const command of commands) parent.addCommand(command);
  return parent;
};
