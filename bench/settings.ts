import { kinds } from './kinds.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns whether to run everything once, on little data. */
export const isShort = (variables: Variables = process.env): boolean => variables['BENCH'] === 'short';

/** Returns whether no variable changes what is measured, so that the results may replace those in the repository. */
export const isComplete = (variables: Variables = process.env): boolean =>
  !Object.keys(variables).some((name) => /^(BENCH|BENCH_.*|HASH_PROCESSORS)$/.test(name));

/**
 * Reads `BENCH` (`short`: everything once, on little data) and the variables that begin with `BENCH_`.
 *
 * @throws Error that names a variable with an invalid value.
 */
export const readSettings = (variables: Variables) => {
  const numbers = (name: string, fallback: string): readonly number[] => {
    const text = variables[name] ?? fallback;
    const values = text.split(';').map(Number);
    if (!values.every((value) => value > 0)) throw new Error(`${name} must be positive numbers, not ${text}`);
    return values;
  };
  const number = (name: string, fallback: number): number => numbers(name, String(fallback))[0] ?? fallback;
  const names = kinds.map(({ name }) => name);
  const chosen = variables['BENCH_KINDS']?.split(';') ?? names;
  const unknown = chosen.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`BENCH_KINDS: "${unknown}" is not one of ${names.join('; ')}`);
  const short = isShort(variables);
  return {
    population: { layout: 'one', members: short ? 200 : 100_000, others: short ? 500 : 100_000 } as const,
    /** The number of turns. */
    rounds: number('BENCH_ROUNDS', short ? 1 : 6),
    /** The duration of one load. */
    seconds: number('BENCH_SECONDS', short ? 0.3 : 2),
    /** The seconds without a request before each load. */
    pause: variables['BENCH_PAUSE'] === undefined ? 0 : number('BENCH_PAUSE', 0),
    /** The numbers of connections that each kind is measured with. */
    connections: numbers('BENCH_CONNECTIONS', short ? '1;8' : '1;8;32;128'),
    kinds: kinds.filter(({ name }) => chosen.includes(name)),
    nodeOptions: variables['BENCH_NODE_OPTIONS']?.split(' ') ?? [],
  };
};

export type Settings = ReturnType<typeof readSettings>;
