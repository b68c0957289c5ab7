import type { Population } from '../test-support/lists/members.ts';
import { kinds } from './kinds.ts';

/** The parts of a run. */
const PARTS = ['start', 'greatest load', 'depth', 'half load', 'workers', 'memory'] as const;

const FULL = { rounds: 12, seconds: 3, minutes: 10, scrypt: { logN: 14, p: 5 } };
const FULL_POPULATION: Population = { layout: 'one', members: 100_000, others: 100_000 };
const SHORT_POPULATION: Population = { layout: 'one', members: 200, others: 500 };
const SHORT = { rounds: 1, seconds: 1, minutes: 0.1, scrypt: { logN: 4, p: 1 } };

/**
 * Reads `BENCH` (`short`: everything once, on little data) and the variables that begin with `BENCH_`.
 *
 * @throws Error that names a variable with an invalid value.
 */
export const readSettings = (variables: Readonly<Record<string, string | undefined>>) => {
  const number = (name: string, fallback: number): number => {
    const value = Number(variables[name] ?? fallback);
    if (!(value > 0)) throw new Error(`${name} must be a positive number, not ${variables[name]}`);
    return value;
  };
  const chosen = <Named>(variable: string, all: readonly Named[], nameOf: (one: Named) => string): readonly Named[] => {
    const names = variables[variable]?.split(';') ?? all.map(nameOf);
    const unknown = names.find((name) => !all.some((one) => nameOf(one) === name));
    if (unknown !== undefined) throw new Error(`${variable}: "${unknown}" is not one of ${all.map(nameOf).join('; ')}`);
    return all.filter((one) => names.includes(nameOf(one)));
  };
  const isShort = variables['BENCH'] === 'short';
  const { rounds, seconds, minutes, scrypt } = isShort ? SHORT : FULL;
  return {
    population: isShort ? SHORT_POPULATION : FULL_POPULATION,
    /** The number of turns in a comparison of servers. */
    rounds: number('BENCH_ROUNDS', rounds),
    /** The duration of one load. Loads that hash passwords take three times as long. */
    seconds: number('BENCH_SECONDS', seconds),
    connections: number('BENCH_CONNECTIONS', 32),
    /** The duration of the load during which memory is measured, in minutes. */
    minutes: number('BENCH_MINUTES', minutes),
    scrypt,
    kinds: chosen('BENCH_KINDS', kinds, ({ name }) => name),
    parts: chosen('BENCH_PARTS', PARTS, (name) => name),
    nodeOptions: variables['BENCH_NODE_OPTIONS']?.split(' ') ?? [],
    /** Whether all settings are those that the goals define, so that the report may replace RESULTS.md. */
    isComplete: !Object.keys(variables).some((name) => /^BENCH(_|$)/.test(name)),
  };
};

/** The settings of a run. */
export type Settings = ReturnType<typeof readSettings>;
