import { createInterface } from 'node:readline';
import { OperatorError } from '../../errors/operator-error.ts';
import { onSignals, STOP_SIGNALS } from '../../system/signals.ts';
import type { Ask, CliContext } from './context.ts';

/** Makes a function that asks on a terminal. It writes to `output`, because standard output is for the result only. */
export const makeAsk =
  (
    input: NodeJS.ReadableStream,
    output: Pick<NodeJS.WritableStream, 'write'>,
    signals: readonly NodeJS.Signals[] = STOP_SIGNALS,
  ): Ask =>
  (question) =>
    new Promise((resolve) => {
      // With `terminal: true`, readline edits the line itself and handles Ctrl-C, so the process would get no signal.
      const lines = createInterface({ input, terminal: false });
      let answer: string | null = null;
      const removeListeners = onSignals(signals, () => lines.close());
      lines.once('line', (line) => {
        answer = line;
        lines.close();
      });
      lines.once('close', () => {
        removeListeners();
        // Without an answer, the cursor is still on the line of the question.
        if (answer === null) output.write('\n');
        resolve(answer);
      });
      output.write(question);
    });

/** The options of a command that asks for confirmation. */
export interface Confirmable {
  readonly yes?: true | undefined;
}

/** Returns the fault of a call without `--yes` if there is no terminal to ask for confirmation. Contract §10. */
export const findConfirmationFault = ({ yes }: Confirmable, { ask }: Pick<CliContext, 'ask'>): string | undefined =>
  yes || ask ? undefined : 'there is no terminal to ask for confirmation; confirm with --yes';

/**
 * Asks the operator to confirm, unless `--yes` was given. Only `y` and `yes` confirm.
 *
 * @throws OperatorError if the operator does not confirm.
 */
export const confirm = async (
  { ask }: Pick<CliContext, 'ask'>,
  { yes }: Confirmable,
  question: string,
): Promise<void> => {
  if (yes) return;
  const answer = await ask?.(`${question} [y/N] `);
  if (!/^y(?:es)?$/i.test(answer?.trim() ?? '')) throw new OperatorError('Not confirmed; nothing was changed.');
};
