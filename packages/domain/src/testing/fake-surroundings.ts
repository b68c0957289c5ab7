import type { CommonPasswords } from '../ports/common-passwords.ts';
import type { PublicAddress } from '../ports/public-address.ts';

/** A public address that a test sets. */
export interface SettablePublicAddress extends PublicAddress {
  set(address: string | null): void;
}

/** Knows the address that it is told, at first one of those for documentation (RFC 5737). */
export const makeSettablePublicAddress = (start: string | null = '192.0.2.1'): SettablePublicAddress => {
  let address = start;
  return {
    current: () => address,
    set: (next) => {
      address = next;
    },
  };
};

/** Knows a handful of the most common passwords. */
export const fewCommonPasswords: CommonPasswords = {
  has: (lowerCase) =>
    ['password', 'password1', 'password123', '12345678', 'qwertyuiop', 'iloveyou'].includes(lowerCase),
};
