import { distance } from 'fastest-levenshtein';

const MAX_DISTANCE = 3;

// No known name is longer. The limit bounds the cost of a comparison, which grows with the length.
const MAX_COMPARED_LENGTH = 64;

/**
 * Returns the known name that is most similar to a mistyped one, ignoring case, or undefined if none is similar or the
 * mistyped name is too long to compare.
 */
export const nearest = <T extends string>(mistyped: string, known: Iterable<T>): T | undefined => {
  if (mistyped.length > MAX_COMPARED_LENGTH) return undefined;
  const lower = mistyped.toLowerCase();
  // In a short name, three different letters would be most of the name.
  let bestDistance = Math.min(MAX_DISTANCE, Math.floor(lower.length / 2)) + 1;
  let bestName: T | undefined;
  for (const name of known) {
    const candidateDistance = distance(lower, name.toLowerCase());
    if (candidateDistance >= bestDistance) continue;
    bestDistance = candidateDistance;
    bestName = name;
  }
  return bestName;
};
