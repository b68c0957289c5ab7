import { type Fault, fault } from '../../fields/field-check.ts';
import { normalizePassword } from '../../fields/password.ts';
import { foldCase } from '../../model/text.ts';
import type { CommonPasswords } from '../../ports/common-passwords.ts';

/** The names of a user that a password must not repeat. */
type UserNames = readonly (string | null | undefined)[];

const foldPassword = (text: string): string => foldCase(normalizePassword(text));

/** Returns the fault of a password that is one of its user's names regardless of case. Undefined for other passwords. */
export const nameFault = (password: string, names: UserNames): Fault | undefined => {
  const folded = foldPassword(password);
  const isName = names.some((name) => typeof name === 'string' && foldPassword(name) === folded);
  return isName ? fault('too_common', 'must not be the username or the email').fault : undefined;
};

/**
 * Returns the fault of a password that is easy to guess: a common one, or the user's own username or email regardless of
 * case. Undefined for other passwords.
 */
export const guessableFault = (password: string, common: CommonPasswords, names: UserNames): Fault | undefined =>
  common.has(foldPassword(password))
    ? fault('too_common', 'is one of the most common passwords').fault
    : nameFault(password, names);
