import type { Clock, IdGenerator } from '../../ports/system.ts';

const hex = (value: number, digits: number): string => Math.trunc(value).toString(16).padStart(digits, '0');

/**
 * Returns ids in the format of UUIDs of version 7 that are the same in every run: 1, 2, 3 in the last group. Use
 * different prefixes (12 hexadecimal digits) to keep several generators apart.
 */
export const makeSequentialIds = (prefix = '019b00000000'): IdGenerator => {
  let count = 0;
  return {
    next: () => {
      count += 1;
      return `${prefix.slice(0, 8)}-${prefix.slice(8)}-7000-8000-${hex(count, 12)}`;
    },
  };
};

/** Returns ascending random ids in the format of UUIDs of version 7. */
export const makeRandomIds = (clock: Clock): IdGenerator => {
  let time = 0;
  let count = 0;
  return {
    next: () => {
      const now = Date.parse(clock.now());
      if (now > time) [time, count] = [now, 0];
      // A counter of 24 bits keeps ids in order within a millisecond and when the clock is set back.
      count += 1;
      const at = hex(time, 12);
      const [high, low] = [hex(count / 0x1000, 3), hex(count % 0x1000, 3)];
      return `${at.slice(0, 8)}-${at.slice(8)}-7${high}-8${low}-${hex(Math.random() * 2 ** 48, 12)}`;
    },
  };
};
