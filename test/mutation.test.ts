import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { acceptedMutants } from '../scripts/mutation/accepted-mutants.ts';
import { type AcceptedMutant, judge, type MutationReport } from '../scripts/mutation/judge.ts';

const SOURCE = 'first\n  if (second && third) {\n';

const spanOf = (line: number, text: string) => {
  const column = (SOURCE.split('\n')[line - 1] ?? '').indexOf(text) + 1;
  return { start: { line, column }, end: { line, column: column + text.length } };
};

/** A mutant that replaces a text of a line, by default its whole text. */
const mutant = (line: number, status: string, text = SOURCE.split('\n')[line - 1]?.trim() ?? '') => ({
  mutatorName: 'ConditionalExpression',
  replacement: 'true',
  status,
  location: spanOf(line, text),
});
const reportOf = (...mutants: ReturnType<typeof mutant>[]): MutationReport => ({
  files: { 'a.ts': { source: SOURCE, mutants } },
});
const accepted: AcceptedMutant = {
  file: 'a.ts',
  line: 'if (second && «third») {',
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
        `a.ts:2 ${status} ConditionalExpression: "true" in «if (second && third) {»`,
      ]);
    }
  });

  it('accepts only mutants with the same file, line, mutator and replacement', () => {
    const survivor = mutant(2, 'Survived', 'third');
    expect(judge(reportOf(survivor), [accepted])).to.include({ accepted: 1, detected: 0 });
    for (const other of [
      { ...accepted, file: 'b.ts' },
      { ...accepted, line: '«first»' },
      { ...accepted, mutator: 'BlockStatement' },
      { ...accepted, replacement: 'false' },
    ]) {
      expect(judge(reportOf(survivor), [other]).survivors).to.have.length(1);
    }
  });

  it('accepts no mutant of another text in the same line', () => {
    const { survivors, stale } = judge(reportOf(mutant(2, 'Survived', 'second'), mutant(2, 'Killed', 'third')), [
      accepted,
    ]);
    expect(survivors).to.deep.equal(['a.ts:2 Survived ConditionalExpression: "true" in if («second» && third) {']);
    expect(stale).to.deep.equal([accepted]);
  });

  it('marks a text of several lines up to the end of its first line', () => {
    const { location, ...block } = mutant(2, 'Survived', '{');
    const long = { ...block, location: { ...location, end: { line: 3, column: 1 } } };
    expect(judge(reportOf(long), []).survivors.join()).to.match(/in if \(second && third\) «\{»$/);
  });

  it('names accepted mutants in files of the report that a test detects or that no longer exist', () => {
    expect(judge(reportOf(mutant(2, 'Killed', 'third')), [accepted]).stale).to.deep.equal([accepted]);
    expect(judge(reportOf(), [accepted]).stale).to.deep.equal([accepted]);
    expect(judge({ files: {} }, [accepted]).stale).to.deep.equal([]);
  });
});

describe('The accepted mutants', () => {
  it('are in existing source lines', () => {
    const hasLine = ({ file, line }: AcceptedMutant): boolean =>
      /«.+»/.test(line) &&
      readFileSync(file, 'utf8')
        .split('\n')
        .some((text) => text.trim() === line.replace(/«(.*)»/, '$1'));
    expect(acceptedMutants.length).to.be.greaterThan(0);
    expect(acceptedMutants.filter((mutant) => !hasLine(mutant))).to.deep.equal([]);
  });
});
