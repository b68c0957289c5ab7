/** Whether tests compare everything (`npm run prove`), instead of a share that is quick enough for every run. */
export const isFullProof = process.env['PROOF'] === 'full';

/** Returns all items in a full proof, otherwise the first and every nth item after it. */
export const shareOf = <T>(items: readonly T[], nth: number): readonly T[] =>
  isFullProof ? items : items.filter((_, at) => at % nth === 0);
