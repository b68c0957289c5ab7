import { expect } from 'chai';
import { kindNamed } from '../kinds.ts';
import type { Measurement } from '../measure/measure.ts';
import { summarize } from '../report/summary.ts';
import { stepsReport } from '../steps/report.ts';

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
    const summaries = [summarize({ kind: kindNamed('search'), rounds })];
    const step = { number: 1, words: 'names', without: [], kinds: ['search'] };
    const rows = stepsReport(['then, there'], [{ step, summaries }]).split('\n');
    expect(rows[0]).to.equal('- then, there');
    const cells = rows
      .at(-1)
      ?.split('|')
      .map((cell) => cell.trim());
    expect(cells?.slice(1, -1)).to.deep.equal([
      'names (1)',
      'search',
      '500',
      '2,000',
      '4.00',
      '1.00 + 0.50',
      '0.25 + 0.13',
      '0.25',
      '3',
    ]);
  });
});
