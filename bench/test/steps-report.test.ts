import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { kindNamed } from '../kinds.ts';
import type { Measurement } from '../measure/measure.ts';
import { stepsReport } from '../steps/report.ts';
import { steps } from '../steps/steps.ts';

const measured = (requests: number, errors: number): Measurement => ({
  requests,
  seconds: 2,
  p50: 1,
  p99: 2,
  errors,
  serverCpu: 1,
  databaseCpu: 0.5,
  memory: 100,
});

describe('the report of steps', () => {
  it('compares the service with a step to itself without it, kind by kind, and hides no error', () => {
    const rounds = [{ floor: measured(1000, 1), service: measured(4000, 2) }];
    const other = { floor: measured(2000, 0), service: measured(4000, 0) };
    const results = [{ kind: kindNamed('search'), rounds: [...rounds, other] }];
    const step = { number: 1, title: 'names', without: {}, kinds: [] };
    const control = { ...step, number: null };
    const rows = stepsReport(
      ['then, there'],
      [
        { step, results },
        { step: control, results },
      ],
    ).split('\n');
    expect(rows[0]).to.equal('- then, there');
    const cells = rows.slice(-2).map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    const found = ['search', '750 → 2,000', '2.67 (0.89)', '0.67 + 0.33 → 0.25 + 0.13', '0.33 (0.11)', '3'];
    expect(cells).to.deep.equal([
      ['names (1)', ...found],
      ['names', ...found],
    ]);
  });
});

describe('a step of the bench', () => {
  it('is not taken back where nothing was loaded in the place of a module, and the process says so', () => {
    const [preload = ''] = steps.flatMap(({ without }) => without.nodeOptions ?? []);
    const args = [preload, '--input-type=module', '--eval', "await import('./packages/domain/src/index.ts')"];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stderr).to.match(/^nothing was loaded in the place of \S+adapters-postgres\/src\/statement\.ts\n$/);
    expect(status).to.equal(1);
  });
});
