import { OperatorError } from '../errors/operator-error.ts';
import type { CliContext } from './context.ts';

const decoded = (input: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(input);
  } catch (error) {
    throw new OperatorError('The password on standard input is not valid UTF-8.', error);
  }
};

/**
 * Reads the password from standard input, without the final line break. On a terminal, says so first.
 *
 * @throws OperatorError if there is none.
 */
export const readPassword = async ({
  ask,
  readInput,
  writeError,
}: Pick<CliContext, 'ask' | 'readInput' | 'writeError'>): Promise<string> => {
  if (ask) writeError('Type the password, which is shown, then press Enter and Ctrl-D.\n');
  const password = decoded(await readInput()).replace(/\r?\n$/, '');
  if (password === '') throw new OperatorError('There is no password on standard input.');
  return password;
};
