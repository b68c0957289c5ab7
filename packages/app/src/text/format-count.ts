const numbers = new Intl.NumberFormat('en-US');

/** Formats a count with its noun: `1 user`, `12,345 users`, `2 entries`. */
export const formatCount = (count: number, thing: string): string =>
  `${numbers.format(count)} ${count === 1 ? thing : `${thing.replace(/(?<![aeiou])y$/, 'ie')}s`}`;
