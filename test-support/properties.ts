/**
 * Returns fast-check's parameters: `count` runs, or as many as `FC_RUNS` says. `FC_SEED` and `FC_PATH`, which a failure
 * prints, replay its examples.
 */
export const runs = (count: number): { readonly numRuns: number; readonly seed?: number; readonly path?: string } => {
  const { FC_RUNS, FC_SEED, FC_PATH } = process.env;
  return {
    numRuns: Number(FC_RUNS ?? count),
    ...(FC_SEED === undefined ? {} : { seed: Number(FC_SEED) }),
    ...(FC_PATH === undefined ? {} : { path: FC_PATH }),
  };
};
