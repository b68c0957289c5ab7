import { distance } from 'fastest-levenshtein';
import { shownName } from './fault-limits.ts';

const MAX_DISTANCE = 3;

// No known name is longer. The limit bounds the cost of a comparison, which grows with the length.
const MAX_COMPARED_LENGTH = 64;

/** Returns the known name nearest to a mistyped one, or undefined if none is near or the name is too long to compare. */
const nearest = (mistyped: string, known: Iterable<string>): string | undefined => {
  if (mistyped.length > MAX_COMPARED_LENGTH) return undefined;
  const lower = mistyped.toLowerCase();
  // In a short name, three different letters would be most of the name.
  let bestDistance = Math.min(MAX_DISTANCE, Math.floor(lower.length / 2)) + 1;
  let bestName: string | undefined;
  for (const name of known) {
    const candidateDistance = distance(lower, name);
    if (candidateDistance >= bestDistance) continue;
    bestDistance = candidateDistance;
    bestName = name;
  }
  return bestName;
};

/** Describes an unknown name and suggests the nearest known one: "unknown parameter `emial`; did you mean `email`?". */
export const unknownName = (kind: 'parameter' | 'field', name: string, known: Iterable<string>): string => {
  const suggestion = nearest(name, known);
  const shown = shownName(name);
  return suggestion === undefined
    ? `unknown ${kind} \`${shown}\``
    : `unknown ${kind} \`${shown}\`; did you mean \`${suggestion}\`?`;
};
