import { type Fault, fault } from '../../fields/field-check.ts';
import { normalizePassword } from '../../fields/password.ts';
import { foldCase } from '../../model/text.ts';
import type { CommonPasswords } from '../../ports/common-passwords.ts';

/**
 * Returns the fault of a password that is easy to guess: a common one, or the user's own username or email regardless of
 * case. Undefined for other passwords.
 */
export const guessableFault = (
  password: string,
  common: CommonPasswords,
  names: readonly (string | null | undefined)[],
): Fault | undefined => {
  const folded = foldCase(normalizePassword(password));
  if (common.has(folded)) return fault('too_common', 'is one of the most common passwords').fault;
  const isName = names.some((name) => typeof name === 'string' && foldCase(normalizePassword(name)) === folded);
  return isName ? fault('too_common', 'must not be the username or the email').fault : undefined;
};
