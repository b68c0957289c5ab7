import { createInterface } from 'node:readline';
import { onSignals } from '../system/signals.ts';
import { INTERRUPTING_SIGNALS } from './interrupted.ts';

/** Asks a question and returns the line that was typed, or null if the input ended or a signal interrupted the question. */
export type Ask = (question: string) => Promise<string | null>;

/** Makes a function that asks on a terminal. It writes to `output`, because standard output is for the result only. */
export const makeAsk =
  (
    input: NodeJS.ReadableStream,
    output: Pick<NodeJS.WritableStream, 'write'>,
    signals: readonly NodeJS.Signals[] = INTERRUPTING_SIGNALS,
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
