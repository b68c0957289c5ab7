import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Random draws from a seed, the same in every run. */
export interface Random {
  /** Returns an integer from 0 to `count - 1`. */
  below(count: number): number;
  /** Returns true in `percent` of 100 draws. */
  chance(percent: number): boolean;
  /** Returns one of the items. */
  pick<T>(items: readonly [T, ...T[]]): T;
  pick<T>(items: readonly T[]): T | undefined;
}

/** Makes draws from a seed. Adjacent seeds give unrelated draws. */
export const makeRandom = (seed: number): Random => {
  // The generator's first draws correlate with its seed.
  const generator = xoroshiro128plus(Math.imul(seed, 0x9e3779b1));
  generator.next();
  generator.next();
  const below = (count: number): number => uniformInt(generator, 0, count - 1);
  return {
    below,
    chance: (percent) => percent > 0 && below(100) < percent,
    pick: <T>(items: readonly T[]) => items[items.length > 1 ? below(items.length) : 0] as T,
  };
};
