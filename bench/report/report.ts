import type * as parts from '../parts.ts';
import type { Both, KindResult } from '../parts.ts';
import type { Measurement } from '../setup.ts';
import { perSecond } from '../turns.ts';
import { list, table, verdict } from './markdown.ts';
import { format, median, sum } from './numbers.ts';

type Found<Measure extends (...given: never[]) => Promise<unknown>> = Awaited<ReturnType<Measure>>;
type HalfLoads = Found<typeof parts.measureHalfLoad>;
type Depth = Found<typeof parts.measureDepth>;
type Workers = Found<typeof parts.measureWorkers>;
type MemoryOverTime = Found<typeof parts.measureMemory>;

/** The results of a run; parts that did not run are undefined. */
export interface Results {
  /** Lines about time, machine, versions and conditions. */
  readonly conditions: readonly string[];
  readonly greatestLoad?: readonly KindResult[] | undefined;
  readonly halfLoad?: HalfLoads | undefined;
  readonly depth?: Depth | undefined;
  readonly start?: { readonly milliseconds: number } | undefined;
  readonly workers?: Workers | undefined;
  readonly memory?: MemoryOverTime | undefined;
}

/** Seconds of CPU of server and database for a request. */
const cpuPerRequest = ({ serverCpu, databaseCpu, requests }: Measurement): number =>
  (serverCpu + databaseCpu) / requests;

/** Returns the median of service ÷ baseline over all turns. */
const ratioOfTurns = ({ turns }: KindResult, of: (load: Measurement) => number): number =>
  median(turns.map(({ baseline, service }) => of(service) / of(baseline)));

const goals = (results: readonly KindResult[]): string =>
  table(
    ['kind', 'throughput ÷ baseline', 'goal', 'reached', 'CPU ÷ baseline', 'goal', 'reached'],
    results.map((result) => {
      const { name, goal } = result.kind;
      const [throughput, cpu] = [ratioOfTurns(result, perSecond), ratioOfTurns(result, cpuPerRequest)];
      // An error takes less time than the response that the load requests.
      const hasErrors = result.turns.some(({ baseline, service }) => baseline.errors + service.errors > 0);
      const cells = (value: number, bound: string, isReached: boolean) =>
        goal ? [value.toFixed(2), bound, verdict(!hasErrors && isReached)] : [value.toFixed(2), '', ''];
      return [
        name,
        ...cells(throughput, `≥ ${goal?.throughput.toFixed(2)}`, throughput >= (goal?.throughput ?? 0)),
        ...cells(cpu, `≤ ${goal?.cpu.toFixed(1)}`, cpu <= (goal?.cpu ?? 0)),
      ];
    }),
  );

const serverRow = ({ kind, turns }: KindResult, server: keyof Both<unknown>): readonly string[] => {
  const loads = turns.map((turn) => turn[server]);
  const medianOf = (of: (load: Measurement) => number): string => format(median(loads.map(of)));
  const sumOf = (of: 'errors' | 'requests' | 'serverCpu' | 'databaseCpu'): number => sum(loads.map((load) => load[of]));
  const speed = [medianOf(perSecond), medianOf(({ p50 }) => p50), medianOf(({ p99 }) => p99), String(sumOf('errors'))];
  const cpu = [sumOf('serverCpu'), sumOf('databaseCpu')].map((seconds) => format((seconds / sumOf('requests')) * 1000));
  const name = server === 'baseline' ? kind.name : '';
  return [name, server, ...speed, ...cpu, Math.max(...loads.map(({ memory }) => memory)).toFixed(0)];
};

const greatestLoadTable = (results: readonly KindResult[]): string =>
  table(
    ['kind', 'server', 'requests/s', 'p50 ms', 'p99 ms', 'errors', 'CPU s/1,000: server', 'database', 'memory MiB'],
    results.flatMap((result) => [serverRow(result, 'baseline'), serverRow(result, 'service')]),
  );

const HALF_LOAD_HEAD =
  'kind|requests/s|p50 ms: baseline|service|p99 ms: baseline|service|errors|p99 ÷ baseline|goal|reached'.split('|');

const halfLoadTable = (found: HalfLoads): string =>
  table(
    HALF_LOAD_HEAD,
    found.map(({ name, rate, baseline, service, errors }) => [
      name,
      ...[rate, baseline.p50, service.p50, baseline.p99, service.p99].map(format),
      String(errors),
      (service.p99 / baseline.p99).toFixed(2),
      '≤ 3',
      verdict(errors === 0 && service.p99 <= baseline.p99 * 3),
    ]),
  );

const depthLine = ({ turns, seconds }: Depth): string => {
  const ratioOf = (of: (load: Measurement) => number) => median(turns.map(({ deep, first }) => of(deep) / of(first)));
  const [throughput, cpu] = [ratioOf(perSecond), ratioOf(cpuPerRequest)];
  const errors = sum(turns.map(({ deep, first }) => deep.errors + first.errors));
  return `Pages around nine tenths of a list ÷ its first page, median of ${turns.length} pairs of loads of ${seconds} s: throughput ${throughput.toFixed(3)} (goal ≥ 0.9; reached: ${verdict(errors === 0 && throughput >= 0.9)}), CPU ${cpu.toFixed(3)}, ${errors} errors.`;
};

/** Two for the workers, two for the database and the load. */
const PROCESSORS_FOR_TWO_WORKERS = 4;

const startLine = ({ milliseconds }: { readonly milliseconds: number }): string =>
  `Start (\`node\` with the program, without npm) to first response: ${milliseconds.toFixed(0)} ms (goal < 1,500 ms; reached: ${verdict(milliseconds < 1500)}).`;

const workersLine = ({ one, two, processors, errors }: Workers): string => {
  const isPossible = processors >= PROCESSORS_FOR_TWO_WORKERS || two >= one * 1.6;
  const reached = isPossible ? verdict(errors === 0 && two >= one * 1.6) : 'too few processors';
  return `\`WORKERS=2\` ÷ one, reads of a user: ${(two / one).toFixed(2)} (${format(two)} and ${format(one)} requests/s on ${processors} processors, ${errors} errors; goal ≥ 1.6 where cores allow; reached: ${reached}).`;
};

const memoryLine = ({ minutes, early, late, max, errors }: MemoryOverTime): string =>
  `Memory of the service over ${minutes} minutes of load: ${early.toFixed(0)} MiB in the second fifth, ${late.toFixed(0)} MiB in the last, at most ${max.toFixed(0)} MiB, with ${errors} errors. Goal: at most a tenth more in the last; reached: ${verdict(errors === 0 && late <= early * 1.1)}.`;

/** Formats the report in Markdown. */
export const report = (results: Results): string => {
  const { conditions, greatestLoad, halfLoad, depth, start, workers, memory } = results;
  const others = [
    depth && depthLine(depth),
    start && startLine(start),
    workers && workersLine(workers),
    memory && memoryLine(memory),
  ];
  return [
    list(conditions),
    '## Goals',
    greatestLoad && goals(greatestLoad),
    list(others.flatMap((line) => line ?? [])),
    greatestLoad && `## Greatest load\n\n${greatestLoadTable(greatestLoad)}`,
    halfLoad && `## Half of the service's greatest load, on both servers\n\n${halfLoadTable(halfLoad)}`,
  ]
    .filter(Boolean)
    .join('\n\n');
};
