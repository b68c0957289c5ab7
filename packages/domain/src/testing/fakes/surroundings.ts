import type { LoggedLogin, LoginLog } from '../../ports/login-limits.ts';
import type { CommonPasswords } from '../../ports/passwords.ts';

/** A login log that a test reads. */
export interface ReadableLoginLog extends LoginLog {
  readonly entries: readonly LoggedLogin[];
}

/** Returns a login log that keeps entries in memory, oldest first. */
export const makeReadableLoginLog = (): ReadableLoginLog => {
  const entries: LoggedLogin[] = [];
  return { entries, write: (login) => void entries.push(login) };
};

/** A few of the most common passwords. */
export const fewCommonPasswords: CommonPasswords = {
  has: (lowerCase) =>
    ['password', 'password1', 'password123', '12345678', 'qwertyuiop', 'iloveyou'].includes(lowerCase),
};
