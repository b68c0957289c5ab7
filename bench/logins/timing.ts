import { guess } from './flood.ts';

/** The kinds of failed logins, which must not be distinguishable by their duration. */
export const FAILURES = ['unknown', 'inactive', 'wrong'] as const;

/** Durations of failed logins in milliseconds. */
export type Timing = Readonly<Record<(typeof FAILURES)[number], readonly number[]>>;

/**
 * Returns how well a threshold distinguishes two samples: the area under the ROC curve, which is the probability that a value
 * of the second is greater than one of the first, where ties count half. At 0.5, it distinguishes nothing; at 0 or 1, everything.
 */
export const areaUnderCurve = (first: readonly number[], second: readonly number[]): number => {
  let greater = 0;
  for (const one of first) for (const other of second) greater += other > one ? 1 : other === one ? 0.5 : 0;
  return greater / (first.length * second.length);
};

/** Measures failed logins of each kind, one after the other in random order. */
export const measureTiming = async (
  url: string,
  usernames: Readonly<Record<keyof Timing, (at: number) => string>>,
  samples: number,
): Promise<Timing> => {
  const times = { unknown: [] as number[], inactive: [] as number[], wrong: [] as number[] };
  // The first rounds warm up.
  for (let round = -5; round < samples; round++) {
    const order = FAILURES.map((failure) => ({ failure, at: Math.random() }));
    for (const { failure } of order.toSorted((one, other) => one.at - other.at)) {
      const { status, milliseconds } = await guess(url, usernames[failure](Math.abs(round)));
      if (status !== 401) throw new Error(`a failed login returned status ${status}`);
      if (round >= 0) times[failure].push(milliseconds);
    }
  }
  return times;
};
