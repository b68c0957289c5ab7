import { codePointLength, foldCase, isNormalizable } from '../model/text.ts';
import { type Fault, type FieldCheck, fault, normalizationFault, string } from './field-check.ts';

/** Limits of a password in code points after NFKC. `PASSWORD_MIN_LENGTH` can raise the minimum. See contract §4. */
export const passwordRule = { min: 8, max: 128 } as const;

/**
 * Returns the form in which a password is measured, hashed and verified: NFKC, so that all keyboards produce the same
 * text. Check the text by `isNormalizable` first.
 */
export const normalizePassword = (password: string): string => password.normalize('NFKC');

/**
 * Returns the form in which a given password is verified. Returns undefined for text that is not normalizable or
 * contains a NUL: scrypt's HMAC pads short keys with NULs, so that `short\0` would match the hash of `short`. If the
 * result is undefined, verify the empty string instead, so that the refusal costs the same work.
 */
export const givenPassword = (text: string): string | undefined =>
  isNormalizable(text, passwordRule.max) && !text.includes('\0') ? normalizePassword(text) : undefined;

const CONTROL = /\p{Cc}/u;

/** Returns a check of a new password's type, characters and length. Its value is normalized but not trimmed. */
export const makePasswordCheck = (minLength: number): FieldCheck<string> =>
  string((input) => {
    const unsafe = normalizationFault(input, passwordRule.max);
    if (unsafe) return unsafe;
    if (!input.isWellFormed()) return fault('invalid_format', 'is not well-formed Unicode');
    if (CONTROL.test(input)) return fault('invalid_format', 'must not contain control characters');
    const value = normalizePassword(input);
    const length = codePointLength(value);
    if (length < minLength) return fault('too_short', `must have at least ${minLength} characters`);
    if (length > passwordRule.max) return fault('too_long', `must have at most ${passwordRule.max} characters`);
    return { value };
  });

/** The names of a user that a password must not repeat. */
export type UserNames = readonly (string | null | undefined)[];

/** Returns the form in which a password is compared with names and common passwords. */
export const foldPassword = (text: string): string => foldCase(normalizePassword(text));

/** Returns the fault of a password that is one of its user's names regardless of case. Undefined for other passwords. */
export const nameFault = (password: string, names: UserNames): Fault | undefined => {
  const folded = foldPassword(password);
  const isName = names.some((name) => typeof name === 'string' && foldPassword(name) === folded);
  return isName ? fault('too_common', 'must not be the username or the email').fault : undefined;
};
