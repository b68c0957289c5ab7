import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { OperatorError } from '../../errors/operator-error.ts';
import { Interrupted, onSignals, STOP_SIGNALS } from '../../system/signals.ts';
import type { Ask, CliContext } from './context.ts';

/** Makes a function that asks on a terminal. It writes to `output`, because standard output is for the result only. */
export const makeAsk =
  (
    input: NodeJS.ReadableStream,
    output: Pick<NodeJS.WritableStream, 'write'>,
    signals: readonly NodeJS.Signals[] = STOP_SIGNALS,
  ): Ask =>
  async (question) => {
    // With `terminal: true`, readline edits the line itself and handles Ctrl-C, so the process would get no signal.
    const lines = createInterface({ input, terminal: false });
    const removeListeners = onSignals(signals, () => lines.close());
    output.write(question);
    const outcome: unknown[] = await Promise.race([once(lines, 'line'), once(lines, 'close')]).finally(() => {
      lines.close();
      removeListeners();
    });
    const answer = typeof outcome[0] === 'string' ? outcome[0] : null;
    // Without an answer, the cursor is still on the line of the question.
    if (answer === null) output.write('\n');
    return answer;
  };

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
export const confirm = async ({ ask }: Pick<CliContext, 'ask'>, { yes }: Confirmable, question: string) => {
  if (yes) return;
  const answer = await ask?.(`${question} [y/N] `);
  if (!/^y(?:es)?$/i.test(answer?.trim() ?? '')) throw new OperatorError('Not confirmed; nothing was changed.');
};

const [CTRL_C, CTRL_D, CTRL_U] = ['\u0003', '\u0004', '\u0015'];

/** @throws OperatorError if the bytes are not UTF-8. */
const decode = (decoder: TextDecoder, bytes: Uint8Array, stream: boolean): string => {
  try {
    return decoder.decode(bytes, { stream });
  } catch (error) {
    throw new OperatorError('The password on standard input is not valid UTF-8.', error);
  }
};

/**
 * Makes a function that takes the bytes typed for a password. It returns the line once Enter ends it, null after Ctrl-D
 * alone, else undefined. Backspace and Ctrl-U erase. The operator does not see the line, so no other key edits it.
 *
 * @throws OperatorError for other control characters, for bytes after Enter and for invalid UTF-8.
 * @throws Interrupted for Ctrl-C.
 */
const makeHiddenLine = (): ((bytes: Uint8Array) => string | null | undefined) => {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let line: string[] = [];
  return (bytes) => {
    const keys = Array.from(decode(decoder, bytes, true).replace(/\r\n$/, '\r'));
    for (const [index, key] of keys.entries()) {
      if (key === CTRL_C) throw new Interrupted('SIGINT');
      if (key === CTRL_D && line.length === 0) return null;
      if (key === '\r' || key === '\n') {
        if (index === keys.length - 1) return line.join('');
        throw new OperatorError('The password must be a single line; more text follows its end.');
      }
      if (key === '\b' || key === '\u007f') line.pop();
      else if (key === CTRL_U) line = [];
      else if (/\p{Cc}/u.test(key))
        throw new OperatorError('A password cannot contain control characters such as Tab, Escape and the arrow keys.');
      else line.push(key);
    }
    return undefined;
  };
};

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

const askForPassword = async (askSecret: Ask): Promise<string> => {
  const password = (await askSecret('Password: ')) ?? '';
  if (password !== '' && (await askSecret('Repeat the password: ')) !== password)
    throw new OperatorError('The two passwords differ.');
  return password;
};

/**
 * Asks for the password twice on a terminal, without showing it. Otherwise reads standard input to its end, without the
 * final line break.
 *
 * @throws OperatorError if there is no password, or if the two differ.
 * @throws Interrupted if Ctrl-C interrupts the question.
 */
export const readPassword = async ({ askSecret, readInput }: Pick<CliContext, 'askSecret' | 'readInput'>) => {
  const password = askSecret
    ? await askForPassword(askSecret)
    : decode(new TextDecoder('utf-8', { fatal: true }), await readInput(), false).replace(/\r?\n$/, '');
  if (password === '') throw new OperatorError('There is no password on standard input.');
  return password;
};
