/** The maximum number of faults in a problem; further faults are omitted (contract §2). */
export const MAX_FAULTS = 50;

/** The maximum length, in code points, of a name from the request in a problem (contract §2). */
export const MAX_SHOWN_NAME = 100;

/** Returns a name from the request for use in a problem: truncated and without lone surrogates. */
export const shownName = (name: string): string => {
  if (name.length <= MAX_SHOWN_NAME) return name.toWellFormed();
  // A code point has at most two UTF-16 units, so this prefix contains enough code points.
  const start = name.slice(0, 2 * MAX_SHOWN_NAME);
  return Array.from(start).slice(0, MAX_SHOWN_NAME).join('').toWellFormed();
};
