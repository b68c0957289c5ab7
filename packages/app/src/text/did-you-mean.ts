import { distance } from 'fastest-levenshtein';

/** Returns the candidate that is most similar to the text, ignoring case; undefined if none is similar. */
export const nearest = <T extends string>(text: string, candidates: readonly T[]): T | undefined => {
  const distanceTo = (candidate: T): number => distance(text.toLowerCase(), candidate.toLowerCase());
  const [first] = candidates.toSorted((a, b) => distanceTo(a) - distanceTo(b));
  // Three edits would replace most of a short name.
  return first && distanceTo(first) <= Math.min(3, text.length / 2) ? first : undefined;
};

/** Returns `; did you mean X?`, or an empty string if no candidate is similar. */
export const didYouMean = (text: string, candidates: readonly string[]): string => {
  const meant = nearest(text, candidates);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
};
