import { distance } from 'fastest-levenshtein';

/** The candidate that somebody most likely meant, whatever the case; undefined where none is near. */
export const nearest = <T extends string>(text: string, candidates: readonly T[]): T | undefined => {
  const off = (candidate: T): number => distance(text.toLowerCase(), candidate.toLowerCase());
  const [first] = candidates.toSorted((a, b) => off(a) - off(b));
  // Of a short name, three letters are most of it.
  return first && off(first) <= Math.min(3, text.length / 2) ? first : undefined;
};

/** `; did you mean X?`, or nothing where no candidate is near. */
export const didYouMean = (text: string, candidates: readonly string[]): string => {
  const meant = nearest(text, candidates);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
};
