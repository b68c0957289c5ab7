/** Faults that a problem has at most: of more, the first. Contract, section 2. */
export const MAX_FAULTS = 50;

/** Code points of a name from the request that faults and details show at most. Contract, section 2. */
export const MAX_SHOWN_NAME = 100;

/** A name from the request as faults and details show it: cut, and without lone surrogates. */
export const shownName = (name: string): string => {
  if (name.length <= MAX_SHOWN_NAME) return name.toWellFormed();
  // A code point has at most two units, so these are enough, however long the name is.
  const start = name.slice(0, 2 * MAX_SHOWN_NAME);
  return Array.from(start).slice(0, MAX_SHOWN_NAME).join('').toWellFormed();
};
