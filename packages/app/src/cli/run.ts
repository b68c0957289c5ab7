import { styleText } from 'node:util';
import { CommanderError } from 'commander';
import type { CliContext } from './context.ts';
import { faultText } from './error-text.ts';
import { BrokenOff } from './interrupted.ts';
import { makeProgram } from './program.ts';

/** Exit statuses. Contract, section 10. */
const STATUS = { done: 0, fault: 1, usage: 2 } as const;

/** Runs the command that the arguments name. The exit status: 1 for a fault, 2 for wrong usage, more for a signal. */
export const runCli = async (args: readonly string[], context: CliContext): Promise<number> => {
  const program = makeProgram(context);
  try {
    await program.parseAsync(args, { from: 'user' });
    return STATUS.done;
  } catch (error) {
    // Commander has said what is wrong already, or has shown the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? STATUS.done : STATUS.usage;
    const text = faultText(error);
    context.complain(`${context.colours.err ? styleText('red', text, { validateStream: false }) : text}\n`);
    return error instanceof BrokenOff ? error.status : STATUS.fault;
  }
};
