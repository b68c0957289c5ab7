import { shown } from '../report/numbers.ts';
import type { Side, Summary } from '../report/summary.ts';
import { table } from '../report/table.ts';
import type { Step } from './steps.ts';

/** What a step was found to give: each kind with the service without it in the place of the floor. */
export interface StepFound {
  readonly step: Step;
  readonly summaries: readonly Summary[];
}

const cpuOf = ({ serverCpu, databaseCpu }: Side): string => `${shown(serverCpu)} + ${shown(databaseCpu)}`;

/** The report of a run, in Markdown. `circumstances` are lines that say how it was made. */
export const stepsReport = (circumstances: readonly string[], found: readonly StepFound[]): string =>
  [
    ...circumstances.map((line) => `- ${line}`),
    '',
    table(
      [
        'step',
        'kind',
        'requests/s without',
        'with',
        'with ÷ without',
        'CPU s/1,000 (server + database) without',
        'with',
        'with ÷ without',
        'errors',
      ],
      found.flatMap(({ step, summaries }) =>
        summaries.map(({ name, floor: without, service, throughput, cpu }) => [
          `${step.words} (${step.number})`,
          name,
          shown(without.perSecond),
          shown(service.perSecond),
          shown(throughput),
          cpuOf(without),
          cpuOf(service),
          shown(cpu),
          String(without.errors + service.errors),
        ]),
      ),
    ),
  ].join('\n');
