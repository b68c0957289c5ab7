import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { atLeast } from '../test-support/counts.ts';
import {
  type AcceptedMutant,
  judge,
  type MutationReport,
  readAcceptedMutants,
} from '../test-support/proof/mutation/judge.ts';
import { applyChange, readStatementChanges } from '../test-support/proof/mutation/statement-changes.ts';

const SOURCE = 'first\n  if (second && third) {\n';

/** A mutant of the second line that replaces a text. */
const mutant = (status: string, text: string) => {
  const column = (SOURCE.split('\n')[1] ?? '').indexOf(text) + 1;
  const location = { start: { line: 2, column }, end: { line: 2, column: column + text.length } };
  return { mutatorName: 'ConditionalExpression', replacement: 'true', status, location };
};
const reportOf = (...mutants: ReturnType<typeof mutant>[]): MutationReport => ({
  files: { 'a.ts': { source: SOURCE, mutants } },
});
const accepted: AcceptedMutant = {
  file: 'a.ts',
  line: 'if (second && «third») {',
  replacement: 'true',
  reason: 'a reason',
};

describe('A mutation report', () => {
  it('counts killed mutants and time-outs as detected, and names all others', () => {
    const others = ['Survived', 'NoCoverage', 'RuntimeError', 'CompileError', 'Ignored'];
    const all = ['Killed', 'Timeout', ...others].map((status) => mutant(status, 'second'));
    expect(judge(reportOf(...all), [])).to.deep.equal({
      detected: 2,
      accepted: 0,
      survivors: others.map((status) => `a.ts:2 ${status} ConditionalExpression: "true" in if («second» && third) {`),
      stale: [],
    });
  });

  it('accepts only mutants with the same file, text and replacement', () => {
    const survivor = reportOf(mutant('Survived', 'third'));
    expect(judge(survivor, [accepted])).to.deep.include({ accepted: 1, detected: 0, stale: [] });
    for (const other of [
      { ...accepted, file: 'b.ts' },
      { ...accepted, line: 'if («second» && third) {' },
      { ...accepted, replacement: 'false' },
    ]) {
      expect(judge(survivor, [other]).survivors).to.have.length(1);
    }
  });

  it('names accepted mutants that do not exist in files of the report', () => {
    expect(judge(reportOf(), [accepted]).stale).to.deep.equal([accepted]);
    expect(judge({ files: {} }, [accepted]).stale).to.deep.equal([]);
  });
});

describe('The files that have mutants', () => {
  it('contain more than types', () => {
    const { mutate } = JSON.parse(readFileSync('stryker.config.json', 'utf8')) as { readonly mutate: string[] };
    const files = atLeast(40, globSync(mutate));
    const hasCode = (file: string) => /^(?:export )?const /m.test(readFileSync(file, 'utf8'));
    expect(files.filter((file) => !hasCode(file))).to.deep.equal([]);
  });
});

describe('The accepted mutants', () => {
  it('are in existing source lines', () => {
    const hasLine = ({ file, line }: AcceptedMutant): boolean =>
      /«.+»/.test(line) &&
      readFileSync(file, 'utf8')
        .split('\n')
        .some((text) => text.trim() === line.replace(/«(.*)»/, '$1'));
    expect(atLeast(1, readAcceptedMutants()).filter((mutant) => !hasLine(mutant))).to.deep.equal([]);
  });
});

describe('The changes of statements', () => {
  const changes = atLeast(150, readStatementChanges());

  it('each change a text that their source contains once', () => {
    for (const change of changes) {
      const source = readFileSync(change.file, 'utf8');
      expect(applyChange(source, change)).not.to.equal(source);
    }
    const [change] = atLeast(1, changes);
    for (const source of ['', `${change?.from}${change?.from}`]) {
      expect(() => change && applyChange(source, change)).to.throw('must contain once');
    }
  });

  it('name existing test files, and change no schema, which all changes share', () => {
    expect(changes.filter(({ file, testFile }) => !existsSync(testFile) || file.includes('/schema/'))).to.deep.equal(
      [],
    );
  });

  it('change each statement', () => {
    const unchanged = globSync('packages/adapters-postgres/src/**/*.ts').flatMap((file) => {
      const ofFile = changes.filter((change) => change.file === file);
      const [, ...statements] = readFileSync(file, 'utf8').split(/(?=\bdefineStatement\(\s*(?:'|undefined))/);
      const isChanged = (text: string): boolean =>
        ofFile.some(({ from }) => text.replaceAll(/\n\s*/g, '⏎').includes(from));
      return statements.filter((text) => !isChanged(text));
    });
    expect(unchanged).to.deep.equal([]);
  });
});
