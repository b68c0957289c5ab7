import type { LoggedLogin, LoginLog } from '../../ports/login-limits.ts';
import type { CommonPasswords } from '../../ports/passwords.ts';
import type { PublicAddress } from '../../ports/system.ts';

/** A public address that a test sets. */
export interface SettablePublicAddress extends PublicAddress {
  /** Sets the address that the port returns from now on. */
  set(address: string | null): void;
}

/** Returns a public address that a test can set; at first an address reserved for documentation (RFC 5737). */
export const makeSettablePublicAddress = (): SettablePublicAddress => {
  let address: string | null = '192.0.2.1';
  return {
    current: () => address,
    set: (next) => {
      address = next;
    },
  };
};

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
