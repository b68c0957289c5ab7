import { writeFileSync } from 'node:fs';
import type { Ask } from './ask.ts';
import { makeHiddenLine } from './hidden-line.ts';

/** A terminal that can pass each key to the program at once, without showing it. */
type KeyInput = NodeJS.ReadableStream & { readonly setRawMode: (mode: boolean) => unknown };

/** Makes a function that asks on a terminal and does not show what is typed. It fails as `makeHiddenLine` does. */
export const makeAskSecret =
  (input: KeyInput, writePrompt: (text: string) => void): Ask =>
  (question) =>
    new Promise<string | null>((resolve, reject) => {
      const readLine = makeHiddenLine();
      const settle = (outcome: () => void): void => {
        input.off('data', read).off('end', end).off('error', fail).pause();
        input.setRawMode(false);
        // The line break that ended the answer was not shown.
        writePrompt('\n');
        outcome();
      };
      const end = (): void => settle(() => resolve(null));
      const fail = (error: unknown): void => settle(() => reject(error));
      const read = (bytes: Uint8Array): void => {
        try {
          const line = readLine(bytes);
          if (line !== undefined) settle(() => resolve(line));
        } catch (error) {
          fail(error);
        }
      };
      // Raw mode ends the echo, and passes Ctrl-C as a byte instead of a signal.
      input.setRawMode(true);
      writePrompt(question);
      input.on('data', read).on('end', end).on('error', fail).resume();
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
