import { OperatorError } from '../errors/operator-error.ts';
import type { Ask } from './ask.ts';
import type { CliContext } from './context.ts';

const decoded = (input: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(input);
  } catch (error) {
    throw new OperatorError('The password on standard input is not valid UTF-8.', error);
  }
};

const askForPassword = async (askSecret: Ask): Promise<string> => {
  const password = (await askSecret('Password: ')) ?? '';
  if (password !== '' && (await askSecret('Repeat the password: ')) !== password)
    throw new OperatorError('The two passwords differ.');
  return password;
};

/**
 * Asks for the password twice on a terminal, without showing it. Otherwise reads standard input to its end, without the final
 * line break.
 *
 * @throws OperatorError if there is no password, or if the two differ.
 * @throws Interrupted if Ctrl-C interrupts the question.
 */
export const readPassword = async ({
  askSecret,
  readInput,
}: Pick<CliContext, 'askSecret' | 'readInput'>): Promise<string> => {
  const password = askSecret ? await askForPassword(askSecret) : decoded(await readInput()).replace(/\r?\n$/, '');
  if (password === '') throw new OperatorError('There is no password on standard input.');
  return password;
};
