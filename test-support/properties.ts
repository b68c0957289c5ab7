/**
 * Returns fast-check's parameters: `count` runs, or as many as `FC_RUNS` says. `FC_SEED` and `FC_PATH`, which a failure
 * prints, replay its examples.
 *
 * @throws TypeError without a run.
 */
export const runs = (count: number): { readonly numRuns: number; readonly seed?: number; readonly path?: string } => {
  const { FC_RUNS, FC_SEED, FC_PATH } = process.env;
  const numRuns = Number(FC_RUNS ?? count);
  if (!(numRuns >= 1)) throw new TypeError(`expected at least one run, not ${FC_RUNS ?? count}`);
  return {
    numRuns,
    ...(FC_SEED === undefined ? {} : { seed: Number(FC_SEED) }),
    ...(FC_PATH === undefined ? {} : { path: FC_PATH }),
  };
};
