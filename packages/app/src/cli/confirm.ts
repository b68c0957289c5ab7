import type { Command } from 'commander';
import { OperatorError } from '../errors/operator-error.ts';
import type { CliContext } from './context.ts';

/** The option of a command that asks for confirmation. */
export interface Confirmable {
  readonly yes?: true | undefined;
}

/** Adds the option `--yes`, which is required if there is no terminal to ask for confirmation. Contract §10. */
export const withConfirmation = ({ ask }: CliContext, command: Command): Command =>
  command.option('--yes', 'do not ask for confirmation; required without a terminal').hook('preAction', (called) => {
    if (!called.opts<Confirmable>().yes && ask === null) {
      called.error('error: there is no terminal to ask for confirmation; confirm with --yes');
    }
  });

/**
 * Asks the operator to confirm, unless `--yes` was given. Only `y` and `yes` confirm.
 *
 * @throws OperatorError if the operator does not confirm.
 */
export const confirm = async ({ ask }: CliContext, { yes }: Confirmable, question: string): Promise<void> => {
  if (yes) return;
  const answer = await ask?.(`${question} [y/N] `);
  if (!/^y(?:es)?$/i.test(answer?.trim() ?? '')) throw new OperatorError('Not confirmed; nothing was changed.');
};
