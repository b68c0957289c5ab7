import { nearest } from '@chapter/adapters-http/names';

/** Returns `; did you mean X?`, or an empty string if no candidate is similar. */
export const didYouMean = (text: string, candidates: readonly string[]): string => {
  const meant = nearest(text, candidates);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
};
