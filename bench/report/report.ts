import type { Settings } from '../settings.ts';
import type { Measurement } from '../setup.ts';
import { type Contest, perSecond } from '../turns.ts';
import { list, table, verdict } from './markdown.ts';
import { format, median, quantile, sum } from './numbers.ts';

export interface Results {
  /** Lines about time, machine, versions and conditions. */
  readonly conditions: readonly string[];
  /** The names of the servers. The last one is compared with each of the others. */
  readonly servers: readonly string[];
  /** Whether the goals apply, to the ratio to the server before the last one. */
  readonly hasGoals: boolean;
  readonly contests: readonly Contest[];
}

/** Describes the databases and the loads of a run, for its conditions. */
export const describeLoads = ({ pause, population, rounds, seconds }: Settings): readonly string[] => [
  `${population.others.toLocaleString('en')} members in divisions of 100, and one division of ${population.members.toLocaleString('en')}; a database does not wait for the disk, and is vacuumed before each kind`,
  `the service runs in PROD, logs each request to a file, and has served 200 other shapes of lists`,
  `${rounds} turns of ${seconds} s of each server${pause > 0 ? `, each after a pause of ${pause} s` : ''}, after one that does not count`,
];

/** Microseconds of CPU for a request. */
const serverCpu = (load: Measurement): number => (load.serverCpu * 1e6) / load.requests;
const databaseCpu = (load: Measurement): number => (load.databaseCpu * 1e6) / load.requests;
export const cpuPerRequest = (load: Measurement): number => serverCpu(load) + databaseCpu(load);

/** Returns the values of a server, one for each turn. */
export const valuesOf = ({ turns }: Contest, server: number, of: (load: Measurement) => number): readonly number[] =>
  turns.flatMap((turn) => turn.slice(server, server + 1).map(of));

/** Returns a server, by default the last one, ÷ another one, for each turn. */
export const ratios = ({ turns }: Contest, other: number, of: (load: Measurement) => number, server = -1) =>
  turns.map((turn) => of(turn.at(server) as Measurement) / of(turn[other] as Measurement));

/** Formats the median with the quartiles. */
export const spread = (values: readonly number[]): string => {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => quantile(values, part).toFixed(2));
  return `${middle} (${low}–${high})`;
};

const goalCells = (contest: Contest, other: number): readonly string[] => {
  const goal = contest.kind.goals[contest.connections];
  if (goal === undefined) return [];
  // An error takes less time than the response that the load requests.
  const hasErrors = contest.turns.flat().some(({ errors }) => errors > 0);
  return [`≤ ${goal}`, verdict(!hasErrors && median(ratios(contest, other, cpuPerRequest)) <= goal)];
};

const ratioTable = ({ servers, contests, hasGoals }: Results): string => {
  const others = servers.slice(0, -1);
  const compared = others.map((name) => `CPU ÷ ${name} | throughput ÷ ${name}`);
  const heads = ['kind', 'connections', ...servers.map((name) => `CPU µs: ${name}`), ...compared];
  return table(
    [...heads, ...(hasGoals ? ['goal', 'reached'] : [])].join(' | '),
    contests.map((contest) => [
      contest.kind.name,
      String(contest.connections),
      ...servers.map((_, at) => format(median(valuesOf(contest, at, cpuPerRequest)))),
      ...others.flatMap((_, at) => [cpuPerRequest, perSecond].map((of) => spread(ratios(contest, at, of)))),
      ...(hasGoals ? goalCells(contest, others.length - 1) : []),
    ]),
  );
};

const LOAD_HEADS = 'kind | connections | server | requests/s | CPU µs: server | database | p50 ms | p99 ms | errors';

const MEASURES = [perSecond, serverCpu, databaseCpu, (load: Measurement) => load.p50, (load: Measurement) => load.p99];

const loadTable = ({ servers, contests }: Results): string =>
  table(
    LOAD_HEADS,
    contests.flatMap((contest) =>
      servers.map((name, at) => {
        const first = at === 0 ? [contest.kind.name, String(contest.connections)] : ['', ''];
        const medians = MEASURES.map((of) => format(median(valuesOf(contest, at, of))));
        return [...first, name, ...medians, String(sum(valuesOf(contest, at, ({ errors }) => errors)))];
      }),
    ),
  );

/** Formats the report in Markdown: ratios as the median of the turns and its quartiles, then all loads. */
export const report = (results: Results): string =>
  [
    list(results.conditions),
    '## CPU per request',
    'CPU is that of server and database, in microseconds per request. Ratios are the medians of the turns (lower to upper quartile).',
    ratioTable(results),
    '## Loads',
    loadTable(results),
  ].join('\n\n');
