import { cpuPerRequest, type Measurement, perSecond } from '../measure/measure.ts';
import type { Depth, DepthTurn } from '../more/depth.ts';
import type { HalfLoad } from '../more/half-load.ts';
import type { MemoryOverTime } from '../more/memory.ts';
import type { Workers } from '../more/workers.ts';
import { fixed, type Ratio, ratioOf, shown, sum } from './numbers.ts';
import type { Side, Summary } from './summary.ts';
import { table } from './table.ts';

/** All that a run has found. */
export interface Findings {
  /** Lines that say when, where, with what and how. */
  readonly circumstances: readonly string[];
  readonly summaries: readonly Summary[];
  readonly halfLoad?: readonly HalfLoad[];
  readonly depth?: Depth;
  /** Milliseconds. */
  readonly starts?: { readonly floor: number; readonly service: number };
  readonly workers?: Workers;
  readonly memory?: MemoryOverTime;
}

const mark = (reached: boolean): string => (reached ? 'yes' : '**no**');

const goals = (summaries: readonly Summary[]): string =>
  table(
    ['kind', 'throughput ÷ floor', 'goal', 'reached', 'CPU ÷ floor', 'goal', 'reached'],
    summaries.map(({ name, throughput, cpu, goal, floor, service }) => {
      // Who answers with errors is fast for nothing.
      const isClean = floor.errors + service.errors === 0;
      return [
        name,
        throughput.toFixed(2),
        goal ? `≥ ${goal.throughput.toFixed(2)}` : '',
        goal ? mark(isClean && throughput >= goal.throughput) : '',
        cpu.toFixed(2),
        goal ? `≤ ${goal.cpu.toFixed(1)}` : '',
        goal ? mark(isClean && cpu <= goal.cpu) : '',
      ];
    }),
  );

const sideRow = (name: string, server: string, side: Side): readonly string[] => [
  name,
  server,
  shown(side.perSecond),
  shown(side.p50),
  shown(side.p99),
  String(side.errors),
  shown(side.serverCpu),
  shown(side.databaseCpu),
  side.memory.toFixed(0),
];

const details = (summaries: readonly Summary[]): string =>
  table(
    ['kind', 'server', 'requests/s', 'p50 ms', 'p99 ms', 'errors', 'CPU s/1,000: server', 'database', 'memory MiB'],
    summaries.flatMap(({ name, floor, service }) => [sideRow(name, 'floor', floor), sideRow('', 'service', service)]),
  );

const halfLoadTable = (found: readonly HalfLoad[]): string =>
  table(
    [
      'kind',
      'requests/s',
      'p50 ms: floor',
      'service',
      'p99 ms: floor',
      'service',
      'errors',
      'p99 ÷ floor',
      'goal',
      'reached',
    ],
    found.map(({ name, rate, floor, service, errors }) => [
      name,
      shown(rate),
      ...[floor.p50, service.p50, floor.p99, service.p99].map(shown),
      String(errors),
      (service.p99 / floor.p99).toFixed(2),
      '≤ 3',
      mark(errors === 0 && service.p99 <= floor.p99 * 3),
    ]),
  );

/** What depth costs. The goal is held against one deep page and against many, which is the harder question. */
const depthTable = ({ turns, pages }: Depth): string => {
  const row = (name: string, one: keyof DepthTurn, beside: string, other: keyof DepthTurn, hasGoal: boolean) => {
    const ratio = (of: (load: Measurement) => number): Ratio =>
      ratioOf(turns.map((turn) => [of(turn[one]), of(turn[other])]));
    const [rate, cpu] = [ratio(perSecond), ratio(cpuPerRequest)];
    const errors = sum(turns.map((turn) => turn[one].errors + turn[other].errors));
    return [
      name,
      beside,
      fixed(rate.value, 3),
      fixed(rate.error, 3),
      hasGoal ? '≥ 0.9' : '',
      hasGoal ? mark(errors === 0 && rate.value >= 0.9) : '',
      fixed(cpu.value, 3),
      fixed(cpu.error, 3),
      String(errors),
    ];
  };
  const many = `${pages} pages in turn`;
  return table(
    ['pages', 'beside', 'throughput ÷', 'standard error', 'goal', 'reached', 'CPU ÷', 'standard error', 'errors'],
    [
      row('one deep page', 'deep', 'the first page', 'first', true),
      row(`deep, ${many}`, 'manyDeep', 'the first page', 'first', true),
      row(`at the beginning, ${many}`, 'manyEarly', 'the first page', 'first', false),
      row(`deep, ${many}`, 'manyDeep', 'as many at the beginning', 'manyEarly', false),
    ],
  );
};

const others = ({ starts, workers, memory }: Findings): readonly string[] => {
  const lines: string[] = [];
  if (starts) {
    const { floor, service } = starts;
    lines.push(
      `Start (\`node\` with the program, without npm) to first answer: service ${service.toFixed(0)} ms, floor ${floor.toFixed(0)} ms (goal < 1,500 ms; reached: ${mark(service < 1500)}).`,
    );
  }
  if (workers) {
    const { one, two, busy, processors, errors } = workers;
    const room = processors / busy;
    const reached = room < 1.6 && two < one * 1.6 ? 'not to be shown here' : mark(errors === 0 && two >= one * 1.6);
    lines.push(
      `\`WORKERS=2\` ÷ one, reads of a user: ${(two / one).toFixed(2)} (${shown(two)} and ${shown(one)} requests/s, ${errors} errors; goal ≥ 1.6 where cores allow; reached: ${reached}). With one worker, ${shown(busy)} of ${processors} processors are in use, by the database and the load as well: there is room for ${room.toFixed(2)} times as much.`,
    );
  }
  if (memory) {
    const { minutes, early, late, samples, errors } = memory;
    lines.push(
      `Memory of the service over ${minutes} minutes of load: ${early.toFixed(0)} MiB in the second fifth, ${late.toFixed(0)} MiB in the last, at most ${Math.max(...samples).toFixed(0)} MiB, with ${errors} errors (goal: flat, which is to say no more than a tenth more; reached: ${mark(errors === 0 && late <= early * 1.1)}).`,
    );
  }
  return lines.map((line) => `- ${line}`);
};

/** The report in Markdown. */
export const report = (findings: Findings): string => {
  const { circumstances, summaries, depth, halfLoad } = findings;
  const parts = [
    '# Service and floor',
    'Written by `npm run bench`. The floor (`bench/floor.ts`) answers the same requests over the same tables by the least code.',
    circumstances.map((line) => `- ${line}`).join('\n'),
    '## Goals',
    goals(summaries),
    others(findings).join('\n'),
    '## Greatest load',
    details(summaries),
    'Memory is that of the whole process, which serves the other kinds as well.',
    ...(depth
      ? [
          '## Depth',
          `Pages of the same list of the service, in ${depth.turns.length} turns at each, of ${depth.seconds} s, which take turns.`,
          depthTable(depth),
        ]
      : []),
    ...(halfLoad ? ["## The same load, half of the service's greatest", halfLoadTable(halfLoad)] : []),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
};
