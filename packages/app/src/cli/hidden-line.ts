import { OperatorError } from '../errors/operator-error.ts';
import { Interrupted } from './interrupted.ts';

const [CTRL_C, CTRL_D, CTRL_U] = ['\u0003', '\u0004', '\u0015'];

const decode = (decoder: TextDecoder, bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes, { stream: true });
  } catch (error) {
    throw new OperatorError('The password on standard input is not valid UTF-8.', error);
  }
};

/**
 * Makes a function that takes the bytes typed for a password, and returns the line once Enter ends it, null after Ctrl-D
 * alone, or else undefined. Backspace and Ctrl-U erase. The operator does not see the line, so no other key edits it.
 *
 * @throws OperatorError for other control characters, for bytes after Enter and for invalid UTF-8.
 * @throws Interrupted for Ctrl-C.
 */
export const makeHiddenLine = (): ((bytes: Uint8Array) => string | null | undefined) => {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let line: string[] = [];
  return (bytes) => {
    const keys = Array.from(decode(decoder, bytes).replace(/\r\n$/, '\r'));
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
