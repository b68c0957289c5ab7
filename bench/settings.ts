import type { Population } from '../test-support/lists/members.ts';
import { kinds } from './kinds.ts';

const FULL: Population = { layout: 'one', members: 100_000, others: 100_000 };
const SHORT: Population = { layout: 'one', members: 200, others: 500 };

/**
 * Reads `BENCH` (`short`: everything once, on little data) and the variables that begin with `BENCH_`.
 *
 * @throws Error that names a variable with an invalid value.
 */
export const readSettings = (variables: Readonly<Record<string, string | undefined>>) => {
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
  const isShort = variables['BENCH'] === 'short';
  return {
    population: isShort ? SHORT : FULL,
    /** The number of turns. */
    rounds: number('BENCH_ROUNDS', isShort ? 1 : 8),
    /** The duration of one load. */
    seconds: number('BENCH_SECONDS', isShort ? 0.3 : 3),
    /** The numbers of connections that each kind is measured with. */
    connections: numbers('BENCH_CONNECTIONS', isShort ? '1;8' : '1;8;32;128'),
    kinds: kinds.filter(({ name }) => chosen.includes(name)),
    nodeOptions: variables['BENCH_NODE_OPTIONS']?.split(' ') ?? [],
    /** Whether no variable changes what is measured, so that the report may replace the one in the repository. */
    isComplete: !Object.keys(variables).some((name) => /^BENCH(_|$)/.test(name)),
  };
};

/** The settings of a run. */
export type Settings = ReturnType<typeof readSettings>;
