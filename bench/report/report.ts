import { SCRYPT } from '../server.ts';
import type { Settings } from '../settings.ts';
import type { Measurement } from '../setup.ts';
import { type Contest, perSecond } from '../turns.ts';
import { list, table, verdict } from './markdown.ts';
import { format, median, quartiles, sum } from './numbers.ts';

/** The results of a run. */
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
export const describeLoads = ({ population, rounds, seconds }: Settings): readonly string[] => [
  `${population.others?.toLocaleString('en')} members in divisions of 100, and one division of ${population.members.toLocaleString('en')}; a database does not wait for the disk, and is vacuumed before each kind`,
  `the service runs in PROD, logs each request to a file, and has served 200 other shapes of lists; a hash costs as little as possible (logN ${SCRYPT.logN}, p ${SCRYPT.p})`,
  `${rounds} turns of ${seconds} s of each server, after one that does not count`,
];

/** Milliseconds of CPU for a request. */
const serverCpu = (load: Measurement): number => (load.serverCpu * 1000) / load.requests;
const databaseCpu = (load: Measurement): number => (load.databaseCpu * 1000) / load.requests;
const cpuPerRequest = (load: Measurement): number => serverCpu(load) + databaseCpu(load);

const medianOf = ({ turns }: Contest, server: number, of: (load: Measurement) => number): number =>
  median(turns.map((turn) => of(turn[server] as Measurement)));

/** Returns last server ÷ another one, for each turn. */
const ratios = ({ turns }: Contest, other: number, of: (load: Measurement) => number): readonly number[] =>
  turns.map((turn) => of(turn.at(-1) as Measurement) / of(turn[other] as Measurement));

/** Formats the median with the quartiles. */
const spread = (values: readonly number[]): string => {
  const [low, high] = quartiles(values);
  return `${median(values).toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
};

const hasErrors = ({ turns }: Contest): boolean => turns.flat().some(({ errors }) => errors > 0);

const ratioTable = ({ servers, contests, hasGoals }: Results): string => {
  const others = servers.slice(0, -1);
  const head = ['kind', 'connections', ...servers.map((name) => `CPU ms: ${name}`)];
  const compared = others.flatMap((name) => [`CPU ÷ ${name}`, `throughput ÷ ${name}`]);
  return table(
    [...head, ...compared, ...(hasGoals ? ['goal', 'reached'] : [])],
    contests.map((contest) => {
      const { kind, connections } = contest;
      const cpu = servers.map((_, at) => format(medianOf(contest, at, cpuPerRequest)));
      const cells = others.flatMap((_, at) => {
        return [spread(ratios(contest, at, cpuPerRequest)), spread(ratios(contest, at, perSecond))];
      });
      const goal = kind.goals[connections];
      const reached = median(ratios(contest, others.length - 1, cpuPerRequest)) <= (goal ?? 0);
      // An error takes less time than the response that the load requests.
      const end = goal === undefined ? ['', ''] : [`≤ ${goal}`, verdict(reached && !hasErrors(contest))];
      return [kind.name, String(connections), ...cpu, ...cells, ...(hasGoals ? end : [])];
    }),
  );
};

const loadTable = ({ servers, contests }: Results): string =>
  table(
    [
      'kind',
      'connections',
      'server',
      'requests/s',
      'p50 ms',
      'p99 ms',
      'errors',
      'CPU ms: server',
      'database',
      'memory MiB',
    ],
    contests.flatMap((contest) =>
      servers.map((name, at) => {
        const loads = contest.turns.flatMap((turn) => turn[at] ?? []);
        return [
          ...(at === 0 ? [contest.kind.name, String(contest.connections)] : ['', '']),
          name,
          ...[perSecond, ({ p50 }: Measurement) => p50, ({ p99 }: Measurement) => p99].map((of) =>
            format(medianOf(contest, at, of)),
          ),
          String(sum(loads.map(({ errors }) => errors))),
          ...[serverCpu, databaseCpu].map((of) => format(medianOf(contest, at, of))),
          Math.max(...loads.map(({ memory }) => memory)).toFixed(0),
        ];
      }),
    ),
  );

/** Formats the report in Markdown: ratios as the median of the turns and its quartiles, then all loads. */
export const report = (results: Results): string =>
  [
    list(results.conditions),
    '## CPU per request',
    'CPU is that of server and database, in milliseconds per request. Ratios are the medians of the turns (lower to upper quartile).',
    ratioTable(results),
    '## Loads',
    loadTable(results),
  ].join('\n\n');
