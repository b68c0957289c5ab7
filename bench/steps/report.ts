import { cpuPerRequest, type Measurement, perSecond } from '../measure/measure.ts';
import { fixed, type Ratio, ratioOf, shown } from '../report/numbers.ts';
import { type Side, summarize } from '../report/summary.ts';
import { table } from '../report/table.ts';
import type { KindRounds } from '../rounds.ts';
import type { Step } from './steps.ts';

/** What a step was found to give, kind by kind: the service without it is in the place of the floor. */
export interface StepFound {
  readonly step: Step;
  readonly results: readonly KindRounds[];
}

const cpuOf = ({ serverCpu, databaseCpu }: Side): string => `${shown(serverCpu)} + ${shown(databaseCpu)}`;

const told = ({ value, error }: Ratio): string => `${fixed(value, 2)} (${fixed(error, 2)})`;

const rowOf = ({ number, title }: Step, result: KindRounds): readonly string[] => {
  const { floor: without, service } = summarize(result);
  const ratio = (of: (load: Measurement) => number): Ratio =>
    ratioOf(result.rounds.map((round) => [of(round.service), of(round.floor)]));
  return [
    number === null ? title : `${title} (${number})`,
    result.kind.name,
    `${shown(without.perSecond)} → ${shown(service.perSecond)}`,
    told(ratio(perSecond)),
    `${cpuOf(without)} → ${cpuOf(service)}`,
    told(ratio(cpuPerRequest)),
    String(without.errors + service.errors),
  ];
};

/** The report of a run, in Markdown. `circumstances` are lines that say how it was made. */
export const stepsReport = (circumstances: readonly string[], found: readonly StepFound[]): string =>
  [
    ...circumstances.map((line) => `- ${line}`),
    '- Each cell is without the step → with it; each ratio with ÷ without, and its standard error',
    '',
    table(
      ['step', 'kind', 'requests/s', 'ratio', 'CPU s/1,000: server + database', 'ratio', 'errors'],
      found.flatMap(({ step, results }) => results.map((result) => rowOf(step, result))),
    ),
  ].join('\n');
