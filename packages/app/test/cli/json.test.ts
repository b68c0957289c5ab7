import { DIVISION_FIELDS, snakeCase, USER_FIELDS } from '@chapter/domain/ports';
import { aDivision, aUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { activityJson, divisionJson, makeRows, userJson } from '../../src/cli/steps/format.ts';

describe('JSON of the command line', () => {
  it('has every field of a user under its API name, and no revision', () => {
    const user = aUser();
    const { id, name } = user.division;
    expect(Object.keys(userJson(user))).to.deep.equal(USER_FIELDS.map(snakeCase));
    expect(userJson(user)).to.deep.include({ division: { id, name }, first_name: user.firstName });
  });

  it('has the day of the last activity after the fields of a user', () => {
    const user = aUser();
    for (const lastActiveOn of ['2026-01-31', null]) {
      expect(activityJson({ user, lastActiveOn })).to.deep.equal({ ...userJson(user), last_active_on: lastActiveOn });
    }
  });

  it('has every field of a division, and no revision', () => {
    expect(Object.keys(divisionJson(aDivision()))).to.deep.equal(DIVISION_FIELDS);
  });
});

describe('CSV of the command line', () => {
  it('has one header, quotes what needs it, guards formulas, and shows flags and absent values as such', () => {
    const format = makeRows('csv', ['name', 'last active']);
    expect(format([['=1+1', null]])).to.equal("name,last_active\r\n'=1+1,\r\n");
    expect(
      format([
        ['a "b", c', false],
        [['x', 'y'], true],
      ]),
    ).to.equal('"a ""b"", c",false\r\n"x, y",true\r\n');
  });
});
