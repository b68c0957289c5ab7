/**
 * How often a property is tried: `often` times, or as often as `FC_RUNS` says. `FC_SEED`, and `FC_PATH` beside it, are
 * what a failure prints: they try the same examples once more.
 */
export const runs = (often: number): { readonly numRuns: number; readonly seed?: number; readonly path?: string } => {
  const { FC_RUNS, FC_SEED, FC_PATH } = process.env;
  return {
    numRuns: Number(FC_RUNS ?? often),
    ...(FC_SEED === undefined ? {} : { seed: Number(FC_SEED) }),
    ...(FC_PATH === undefined ? {} : { path: FC_PATH }),
  };
};
