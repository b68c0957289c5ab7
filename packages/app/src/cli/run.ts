import { styleText } from 'node:util';
import { CommanderError } from 'commander';
import type { CliContext } from './context.ts';
import { errorText } from './error-text.ts';
import { Interrupted } from './interrupted.ts';
import { makeProgram } from './program.ts';

/** Exit statuses. Contract §10. */
const EXIT_STATUS = { done: 0, fault: 1, usage: 2 } as const;

/** Runs the command that the arguments name. The exit status: 1 for a fault, 2 for wrong usage, more for a signal. */
export const runCli = async (args: readonly string[], context: CliContext): Promise<number> => {
  const program = makeProgram(context);
  try {
    await program.parseAsync(args, { from: 'user' });
    return EXIT_STATUS.done;
  } catch (error) {
    // Commander has said what is wrong already, or has shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_STATUS.done : EXIT_STATUS.usage;
    const text = errorText(error);
    context.writeError(`${context.colours.err ? styleText('red', text, { validateStream: false }) : text}\n`);
    return error instanceof Interrupted ? error.status : EXIT_STATUS.fault;
  }
};
