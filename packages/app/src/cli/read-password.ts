import { OperatorError } from '../operator-error.ts';
import type { CliContext } from './context.ts';

/** The password on standard input, without the line feed that ends it. @throws OperatorError where there is none. */
export const readPassword = async ({ readInput }: CliContext): Promise<string> => {
  const password = (await readInput()).replace(/\r?\n$/, '');
  if (password === '') throw new OperatorError('There is no password on standard input.');
  return password;
};
