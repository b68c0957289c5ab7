import type { Size } from './data/people.ts';
import { kinds } from './kinds.ts';

/** How a run goes. Environment variables decide; each has a default. */
export interface Settings {
  readonly size: Size;
  /** How often floor and service take turns at each kind. */
  readonly rounds: number;
  /** Rounds of starts and workers, of which there are medians only. */
  readonly turns: number;
  /** Rounds of half load, of which there are medians only. */
  readonly halfLoadTurns: number;
  /** Of one load; kinds that hash passwords take three times as long. */
  readonly seconds: number;
  readonly connections: number;
  readonly scrypt: { readonly logN: number; readonly p: number };
  /** Names of the kinds to measure; all where it is empty. */
  readonly kinds: readonly string[];
  /** Whether to measure depth, starts, latency at half load, two workers and memory as well. */
  readonly more: boolean;
  /** Minutes of load under which to watch the service's memory; 0 for none. */
  readonly minutes: number;
  readonly databaseUrl: string | undefined;
  /** More arguments for Node, with which the service runs, such as `--cpu-prof`. */
  readonly nodeOptions: readonly string[];
  readonly generator: 'wrk' | 'autocannon' | undefined;
  /** Where the report goes, or undefined: to standard output alone. */
  readonly output: string | undefined;
}

const FULL = {
  size: { divisions: 1000, members: 100, deep: 100_000 },
  rounds: 12,
  seconds: 3,
  minutes: 10,
  scrypt: { logN: 14, p: 5 },
};
const SHORT = {
  size: { divisions: 5, members: 60, deep: 200 },
  rounds: 1,
  seconds: 1,
  minutes: 0,
  scrypt: { logN: 4, p: 1 },
};

/** What a run of everything leaves as it is: with any of them, a run's results are not those that the goals ask for. */
const ASKED = ['KINDS', 'ROUNDS', 'SECONDS', 'CONNECTIONS', 'MORE', 'MINUTES', 'NODE_OPTIONS'];

/** The settings in `BENCH` (`short` for a look whether everything works) and the variables that begin with `BENCH_`. */
export const readSettings = (variables: Readonly<Record<string, string | undefined>>): Settings => {
  const short = variables['BENCH'] === 'short';
  const { size, rounds, seconds, minutes, scrypt } = short ? SHORT : FULL;
  const number = (name: string, otherwise: number): number => {
    const said = variables[`BENCH_${name}`];
    const value = Number(said ?? otherwise);
    if (!(value >= 0)) throw new Error(`BENCH_${name} must be a number, and not ${said}`);
    return value;
  };
  const chosen = variables['BENCH_KINDS']?.split(';') ?? [];
  for (const name of chosen) {
    if (!kinds.some((kind) => kind.name === name)) throw new Error(`BENCH_KINDS names no kind of request: ${name}`);
  }
  const more = variables['BENCH_MORE'] !== 'off';
  const isWhole = !short && ASKED.every((name) => variables[`BENCH_${name}`] === undefined);
  const generator = variables['BENCH_GENERATOR'];
  if (generator !== undefined && generator !== 'wrk' && generator !== 'autocannon') {
    throw new Error(`BENCH_GENERATOR must be wrk or autocannon, and not ${generator}`);
  }
  return {
    size,
    rounds: number('ROUNDS', rounds),
    turns: Math.min(3, number('ROUNDS', rounds)),
    halfLoadTurns: Math.min(7, number('ROUNDS', rounds)),
    seconds: number('SECONDS', seconds),
    connections: number('CONNECTIONS', 32),
    scrypt,
    kinds: chosen,
    more,
    // A look at some kinds is not to take that long.
    minutes: number('MINUTES', more && chosen.length === 0 ? minutes : 0),
    databaseUrl: variables['BENCH_DATABASE_URL'],
    nodeOptions: variables['BENCH_NODE_OPTIONS']?.split(' ') ?? [],
    generator,
    output: variables['BENCH_OUTPUT'] ?? (isWhole ? 'bench/RESULTS.md' : undefined),
  };
};
