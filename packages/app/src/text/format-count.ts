const numbers = new Intl.NumberFormat('en-US');

/** Formats a number of things: `1 user`, `12,345 users`. */
export const formatCount = (count: number, thing: string): string =>
  `${numbers.format(count)} ${thing}${count === 1 ? '' : 's'}`;
