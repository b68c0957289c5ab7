import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Ask } from './ask.ts';
import { Interrupted } from './interrupted.ts';

/**
 * Makes a function that asks on a terminal and does not show what is typed.
 *
 * The function throws Interrupted after Ctrl-C: the terminal is in raw mode, so the process gets no signal.
 */
export const makeAskSecret =
  (input: NodeJS.ReadableStream, writePrompt: (text: string) => void): Ask =>
  (question) =>
    new Promise((resolve, reject) => {
      // With `terminal: true`, readline sets the raw mode, which ends the echo, and shows the line itself on its output.
      const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
      const lines = createInterface({ input, output: hidden, terminal: true, historySize: 0 });
      let answer: string | null = null;
      lines.once('line', (line) => {
        answer = line;
        lines.close();
      });
      lines.once('SIGINT', () => {
        reject(new Interrupted('SIGINT'));
        lines.close();
      });
      lines.once('close', () => {
        // The line break that ended the answer was not shown.
        writePrompt('\n');
        resolve(answer);
      });
      writePrompt(question);
    });

/** Makes a function that writes prompts to the terminal, even if standard error is redirected. */
export const makeWritePrompt =
  (stderr: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>, device = '/dev/tty') =>
  (text: string): void => {
    if (!stderr.isTTY) {
      try {
        // Unlike "w", this flag never creates the file.
        writeFileSync(device, text, { flag: 'r+' });
        return;
      } catch {
        // Without a controlling terminal, standard error is the only place for the prompt.
      }
    }
    stderr.write(text);
  };
