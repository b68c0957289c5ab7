import type { Instant } from '@chapter/domain';

/** Returns the instant of `2024-01-31 10:20:30.5+00`, the text form of a connection whose time zone is UTC. */
export const toInstant = (text: string): Instant => {
  const fraction = text[19] === '.' ? text.slice(20, -3).padEnd(3, '0') : '000';
  // Joined instead of interpolated: V8 keeps an interpolated text in parts, which makes JSON of a page take twice as long.
  return [text.slice(0, 10), 'T', text.slice(11, 19), '.', fraction, 'Z'].join('');
};
