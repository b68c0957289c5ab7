import { distance } from 'fastest-levenshtein';
import { shownName } from './fault-limits.ts';

const MAX_DISTANCE = 3;

// The cost of a comparison grows with the name, and no known name is longer.
const MAX_COMPARED_LENGTH = 64;

/** The known name that is nearest to a mistyped one; undefined when none is near, or when it is too long to compare. */
const nearest = (mistyped: string, known: Iterable<string>): string | undefined => {
  if (mistyped.length > MAX_COMPARED_LENGTH) return undefined;
  const lower = mistyped.toLowerCase();
  // Of a short name, three letters are most of it.
  let best = Math.min(MAX_DISTANCE, Math.floor(lower.length / 2)) + 1;
  let found: string | undefined;
  for (const name of known) {
    const far = distance(lower, name);
    if (far >= best) continue;
    best = far;
    found = name;
  }
  return found;
};

/** A sentence part that refuses an unknown name, with the nearest right one: "unknown parameter `emial`; did you mean `email`?". */
export const unknownName = (kind: 'parameter' | 'field', name: string, known: Iterable<string>): string => {
  const near = nearest(name, known);
  const shown = shownName(name);
  return near === undefined
    ? `unknown ${kind} \`${shown}\``
    : `unknown ${kind} \`${shown}\`; did you mean \`${near}\`?`;
};
