/** The number of insertions, deletions, replacements and swaps of neighbours that make one text of the other. */
const distance = (from: string, to: string): number => {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      const swapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const [left = 0, up = 0, diagonal = 0] = [row[j - 1], last[j], last[j - 1]];
      const best = Math.min(left + 1, up + 1, diagonal + (same ? 0 : 1));
      row.push(swapped ? Math.min(best, (beforeLast[j - 2] ?? best) + 1) : best);
    }
    [beforeLast, last] = [last, row];
  }
  return last[to.length] ?? 0;
};

/** The candidate that somebody most likely meant, whatever the case; undefined where none is near. */
export const nearest = <T extends string>(text: string, candidates: readonly T[]): T | undefined => {
  const lower = text.toLowerCase();
  const ranked = candidates
    .map((candidate) => ({ candidate, off: distance(lower, candidate.toLowerCase()) }))
    .toSorted((a, b) => a.off - b.off);
  const [first] = ranked;
  return first && first.off <= Math.max(1, Math.floor(text.length / 3)) ? first.candidate : undefined;
};

/** `; did you mean X?`, or nothing where no candidate is near. */
export const didYouMean = (text: string, candidates: readonly string[]): string => {
  const meant = nearest(text, candidates);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
};
