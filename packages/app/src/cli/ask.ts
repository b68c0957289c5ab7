import { createInterface } from 'node:readline';
import { onSignals } from '../system/signals.ts';
import { INTERRUPTING_SIGNALS } from './interrupted.ts';

/** Asks a question and returns the line that was typed, or null if the input ended or a signal interrupted the question. */
export type Ask = (question: string) => Promise<string | null>;

/** Makes questions on a terminal. The question goes to `output`, so that standard output contains only the result. */
export const makeAsk =
  (
    input: NodeJS.ReadableStream,
    output: Pick<NodeJS.WritableStream, 'write'>,
    signals: readonly NodeJS.Signals[] = INTERRUPTING_SIGNALS,
  ): Ask =>
  (question) =>
    new Promise((resolve) => {
      // The terminal edits the line itself: readline's own editing would keep Ctrl-C from being a signal.
      const lines = createInterface({ input, terminal: false });
      let answer: string | null = null;
      const removeListeners = onSignals(signals, () => lines.close());
      lines.once('line', (line) => {
        answer = line;
        lines.close();
      });
      lines.once('close', () => {
        removeListeners();
        // Without a line, the cursor is still behind the question.
        if (answer === null) output.write('\n');
        resolve(answer);
      });
      output.write(question);
    });
