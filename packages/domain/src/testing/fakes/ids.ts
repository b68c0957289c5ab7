import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';

const hex = (value: number, digits: number): string => Math.trunc(value).toString(16).padStart(digits, '0');

/**
 * Ids of the shape of a UUID of version 7, the same in every run: 1, 2, 3 in the last group. Different prefixes (12
 * hexadecimal digits) keep several generators apart.
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

/** Random ids of the shape of a UUID of version 7, each behind the one before; `random` gives numbers from 0 to 1. */
export const makeRandomIds = (clock: Clock, random: () => number = Math.random): IdGenerator => {
  let time = 0;
  let count = 0;
  return {
    next: () => {
      const now = Date.parse(clock.now());
      if (now > time) [time, count] = [now, 0];
      // 24 bits are counted, so that ids of one millisecond, or of a clock set back, keep their order.
      count += 1;
      const at = hex(time, 12);
      const [high, low] = [hex(count / 0x1000, 3), hex(count % 0x1000, 3)];
      return `${at.slice(0, 8)}-${at.slice(8)}-7${high}-8${low}-${hex(random() * 2 ** 48, 12)}`;
    },
  };
};
