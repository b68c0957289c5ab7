import { Command } from 'commander';
import type { CliContext } from './context.ts';
import { checkOptionValues, checkRequiredOptionsLast } from './option-checks.ts';

/** The result of a command. */
export interface Result {
  /** Printed as JSON, for programs. */
  readonly value: unknown;
  /** Printed for people; ends with a line feed. */
  readonly text: string;
  /** An error to throw after the result is printed. For failures with more details in the JSON than in the message. */
  readonly failure?: Error;
}

/** The name, description, examples and options of a command, for its help. */
export interface CommandDescription {
  readonly name: string;
  readonly description: string;
  /** Complete calls without the program name, each with its effect. */
  readonly examples: readonly (readonly [call: string, effect: string])[];
  /** Adds the options of this command. */
  readonly options?: (command: Command) => Command;
}

/** Makes a command with the option `--json`. `run` receives the other options by their camel-case names. */
export const makePrintingCommand = (
  { name, description, examples, options: addOptions = (command) => command }: CommandDescription,
  // Commander does not infer the types of options, so each command declares its own.
  run: (options: never, json: boolean) => Promise<void>,
): Command =>
  checkOptionValues(checkRequiredOptionsLast(addOptions(new Command(name).description(description))))
    .option('--json', 'print the result as JSON')
    .addHelpText('after', () => exampleText(examples))
    .action(async (_: unknown, command: Command) => {
      const { json = false, ...options } = command.optsWithGlobals<{ json?: boolean }>();
      await run(options as never, json);
    });

/** Makes a command that prints its result. `run` receives the options by their camel-case names. */
export const makeCommand = (
  { write }: CliContext,
  description: CommandDescription,
  run: (options: never) => Result | Promise<Result>,
): Command =>
  makePrintingCommand(description, async (options, json) => {
    const { failure, text, value } = await run(options);
    write(json ? `${JSON.stringify(value, null, 2)}\n` : text);
    if (failure) throw failure;
  });

const exampleText = (examples: CommandDescription['examples']): string => {
  if (examples.length === 0) return '';
  const lines = examples.flatMap(([call, effect]) => [`  # ${effect}`, `  chapter ${call}`]);
  return ['', 'Examples:', ...lines].join('\n');
};

/** Makes a command that only has subcommands. A call without one prints its help as a usage error. */
export const makeCommandGroup = (name: string, description: string, commands: readonly Command[]): Command => {
  const parent = new Command(name).description(description);
  for (const command of commands) parent.addCommand(command);
  return parent;
};
