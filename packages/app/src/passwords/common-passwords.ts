import type { CommonPasswords } from '@chapter/domain';
import { dictionary } from '@zxcvbn-ts/language-common';

/** How many of the most common passwords nobody may take. Contract, section 11. */
const COUNT = 10_000;

// The package lists many more, the most common first.
const common = new Set(dictionary['passwords-common'].slice(0, COUNT).map((password) => password.toLowerCase()));

/** The most common passwords of well-known leaks, as the package zxcvbn-ts ranks them. Loading them takes a moment. */
export const commonPasswords: CommonPasswords = { has: (lowerCase) => common.has(lowerCase) };
