import { type Fault, fault } from '../../fields/field-check.ts';
import { foldPassword, nameFault, type UserNames } from '../../fields/password.ts';
import type { CommonPasswords } from '../../ports/common-passwords.ts';

/**
 * Returns the fault of a password that is easy to guess: a common one, or the user's own username or email regardless of
 * case. Undefined for other passwords.
 */
export const guessableFault = (password: string, common: CommonPasswords, names: UserNames): Fault | undefined =>
  common.has(foldPassword(password))
    ? fault('too_common', 'is one of the most common passwords').fault
    : nameFault(password, names);
