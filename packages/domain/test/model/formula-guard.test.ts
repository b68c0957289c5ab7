import { guardFormula, removeFormulaGuard } from '@chapter/domain/ports';
import { expect } from 'chai';

const FORMULAS = ['=1+1', '+1', '-', '@SUM(A1)', '＝x', '＋x', '－x', '＠x', '−2+3', "'=x", "''=x"];
const TEXTS = ['', 'Ada', "'plain", "''", 'a=b', '1-1', ' =x', 'x@y', ';', '"='];

describe('The guard against formulas', () => {
  it('puts an apostrophe before a text that a spreadsheet would read as a formula, and before a guarded text', () => {
    expect(FORMULAS.map(guardFormula)).to.deep.equal(FORMULAS.map((text) => `'${text}`));
  });

  it('does not change other texts', () => {
    expect(TEXTS.map(guardFormula)).to.deep.equal(TEXTS);
    expect(TEXTS.map(removeFormulaGuard)).to.deep.equal(TEXTS);
  });

  it('is removed without changing the text', () => {
    expect([...FORMULAS, ...TEXTS].map((text) => removeFormulaGuard(guardFormula(text)))).to.deep.equal([
      ...FORMULAS,
      ...TEXTS,
    ]);
    expect(removeFormulaGuard('=1+1')).to.equal('=1+1');
  });
});
