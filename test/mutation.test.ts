import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { acceptedMutants } from '../scripts/mutation/accepted-mutants.ts';
import { type AcceptedMutant, judge, type MutationReport } from '../scripts/mutation/judge.ts';

const mutant = (line: number, status: string, replacement = 'true') => ({
  mutatorName: 'ConditionalExpression',
  replacement,
  status,
  location: { start: { line, column: 1 } },
});
const reportOf = (...mutants: ReturnType<typeof mutant>[]): MutationReport => ({
  files: { 'a.ts': { source: 'first\n  if (second) {\n', mutants } },
});
const accepted: AcceptedMutant = {
  file: 'a.ts',
  line: 'if (second) {',
  mutator: 'ConditionalExpression',
  replacement: 'true',
  reason: 'a reason',
};

describe('A mutation report', () => {
  it('counts killed mutants and time-outs as detected', () => {
    expect(judge(reportOf(mutant(1, 'Killed'), mutant(2, 'Timeout')), [])).to.deep.equal({
      detected: 2,
      accepted: 0,
      survivors: [],
      stale: [],
    });
  });

  it('names every mutant that survives, is not reached, fails to run or is ignored', () => {
    for (const status of ['Survived', 'NoCoverage', 'RuntimeError', 'CompileError', 'Ignored']) {
      expect(judge(reportOf(mutant(2, status)), []).survivors).to.deep.equal([
        `a.ts:2 ${status} ConditionalExpression: "true" in if (second) {`,
      ]);
    }
  });

  it('accepts only mutants with the same file, line, mutator and replacement', () => {
    expect(judge(reportOf(mutant(2, 'Survived')), [accepted])).to.include({ accepted: 1, detected: 0 });
    for (const other of [
      { ...accepted, file: 'b.ts' },
      { ...accepted, line: 'first' },
      { ...accepted, mutator: 'BlockStatement' },
      { ...accepted, replacement: 'false' },
    ]) {
      expect(judge(reportOf(mutant(2, 'Survived')), [other]).survivors).to.have.length(1);
    }
  });

  it('names accepted mutants in files of the report that a test detects or that no longer exist', () => {
    expect(judge(reportOf(mutant(2, 'Killed')), [accepted]).stale).to.deep.equal([accepted]);
    expect(judge(reportOf(), [accepted]).stale).to.deep.equal([accepted]);
    expect(judge({ files: {} }, [accepted]).stale).to.deep.equal([]);
  });
});

describe('The accepted mutants', () => {
  it('are in existing source lines', () => {
    const hasLine = ({ file, line }: AcceptedMutant): boolean =>
      readFileSync(file, 'utf8')
        .split('\n')
        .some((text) => text.trim() === line);
    expect(acceptedMutants.length).to.be.greaterThan(0);
    expect(acceptedMutants.filter((mutant) => !hasLine(mutant))).to.deep.equal([]);
  });
});
