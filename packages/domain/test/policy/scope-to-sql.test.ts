import { type Scope, scopeToSql } from '@chapter/domain';
import { expect } from 'chai';
import { idNamed, OWN } from '../../../../test-support/proof/states.ts';

const user = idNamed('user');
const both: Scope = [{ divisionId: OWN }, { id: user }];
const members = { divisionId: 'u.division_id', id: 'u.id' };

describe('A scope as SQL', () => {
  it('is false for none and true for all, without parameters', () => {
    expect(scopeToSql('none', members)).to.deep.equal({ text: 'false', parameters: [] });
    expect(scopeToSql('all', members)).to.deep.equal({ text: 'true', parameters: [] });
  });

  it('compares the columns of its parts, with the ids as parameters', () => {
    expect(scopeToSql([{ divisionId: OWN }], members)).to.deep.equal({
      text: '"u"."division_id" = $1',
      parameters: [OWN],
    });
    expect(scopeToSql([{ id: user }], members)).to.deep.equal({
      text: '"u"."id" = $1',
      parameters: [user],
    });
    expect(scopeToSql(both, members)).to.deep.equal({
      text: '("u"."division_id" = $1 or "u"."id" = $2)',
      parameters: [OWN, user],
    });
  });

  it('numbers parameters from the given number', () => {
    expect(scopeToSql(both, members, 3).text).to.equal('("u"."division_id" = $3 or "u"."id" = $4)');
    for (const first of [0, -1, 1.5, Number.NaN, '1) or (true' as never]) {
      expect(() => scopeToSql(both, members, first)).to.throw(RangeError, 'firstParameter must be a positive integer');
    }
  });

  it('is false where no row has the attribute', () => {
    const divisions = { divisionId: 'id', id: null };
    expect(scopeToSql(both, divisions)).to.deep.equal({ text: '("id" = $1 or false)', parameters: [OWN] });
    expect(scopeToSql(both, { divisionId: null, id: 'id' })).to.deep.equal({
      text: '(false or "id" = $1)',
      parameters: [user],
    });
    expect(scopeToSql([{ id: user }], divisions)).to.deep.equal({ text: 'false', parameters: [] });
  });

  it('quotes column names of letters, digits and underscores unchanged', () => {
    for (const [name, quoted] of [
      ['id', '"id"'],
      ['User_1.Division_ID', '"User_1"."Division_ID"'],
      [`_.${'x'.repeat(63)}`, `"_"."${'x'.repeat(63)}"`],
    ] as const) {
      expect(scopeToSql([{ divisionId: OWN }], { divisionId: name, id: null }).text).to.equal(`${quoted} = $1`);
    }
  });

  it('rejects other names for every scope', () => {
    const wrong = ['', 'a b', 'a"', 'a.b.c', '.a', 'a.', '1a', 'a.1', "id = id or 'x", 'naïve', 'a\n', 'x'.repeat(64)];
    for (const name of wrong) {
      for (const set of ['none', 'all', both] as const) {
        for (const columns of [
          { divisionId: name, id: null },
          { divisionId: null, id: name },
        ]) {
          expect(() => scopeToSql(set, columns), name).to.throw(TypeError, `${JSON.stringify(name)} is not a column`);
        }
      }
    }
  });
});
