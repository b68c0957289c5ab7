import { DIVISION_FIELDS, snakeCase, USER_FIELDS } from '@chapter/domain';
import { aDivision, aUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { activityJson, divisionJson, userJson } from '../../src/cli/steps/format.ts';

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
