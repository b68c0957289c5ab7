import { type Guess, guess } from './guess.ts';
import { areaUnderCurve, quantile } from './told-apart.ts';

/** The ways to fail, which must not be told apart. */
export const KINDS = ['unknown', 'inactive', 'wrong'] as const;

/** One way to fail. */
export type Kind = (typeof KINDS)[number];

/** What was found of how long failures take. */
export interface Timing {
  readonly samples: number;
  /** Milliseconds. */
  readonly medians: Readonly<Record<Kind, number>>;
  /** Each pair, with the area under the ROC curve. */
  readonly areas: readonly { readonly pair: string; readonly area: number }[];
}

const shuffled = <T>(values: readonly T[]): T[] =>
  values
    .map((value) => ({ value, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ value }) => value);

/** Fails to log in so many times in each way, one after the other, in an order that means nothing. */
export const measureTiming = async (
  url: string,
  guesses: Readonly<Record<Kind, () => Guess>>,
  samples: number,
): Promise<Timing> => {
  const times: Record<Kind, number[]> = { unknown: [], inactive: [], wrong: [] };
  for (let warmUp = 0; warmUp < 5; warmUp++) for (const kind of KINDS) await guess(url, guesses[kind]());
  for (let round = 0; round < samples; round++) {
    for (const kind of shuffled(KINDS)) {
      const { status, milliseconds } = await guess(url, guesses[kind]());
      if (status !== 401) throw new Error(`a guess was answered ${status}`);
      times[kind].push(milliseconds);
    }
  }
  const pairs = [
    ['unknown', 'wrong'],
    ['inactive', 'wrong'],
    ['unknown', 'inactive'],
  ] as const;
  return {
    samples,
    medians: {
      unknown: quantile(times.unknown, 0.5),
      inactive: quantile(times.inactive, 0.5),
      wrong: quantile(times.wrong, 0.5),
    },
    areas: pairs.map(([one, other]) => ({
      pair: `${one} from ${other}`,
      area: areaUnderCurve(times[one], times[other]),
    })),
  };
};
