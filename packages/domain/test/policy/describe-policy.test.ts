import { describePolicy, fieldRights, policy, policyTable } from '@chapter/domain';
import { publicActions } from '@chapter/domain/api';
import { USER_READ_ONLY } from '@chapter/domain/ports';
import { expect } from 'chai';
import { markdownTable } from '../../src/policy/describe-policy.ts';

describe('The description of the policy', () => {
  const { actions, fields } = describePolicy();

  it('contains every action and every field once', () => {
    expect(actions.map(({ action }) => action)).to.deep.equal([...Object.keys(policy), ...publicActions]);
    expect(fields.map(({ field }) => field)).to.deep.equal([...Object.keys(fieldRights), ...USER_READ_ONLY]);
  });

  it('describes who may perform an action by the rule', () => {
    expect(actions.find(({ action }) => action === 'updateDivision')).to.deep.equal({
      action: 'updateDivision',
      who: 'a Leader of the division',
      operator: true,
      knownTo: 'a member of the division or an Administrator',
    });
    expect(fields.find(({ field }) => field === 'password')?.who).to.equal(
      'the user themself or a Leader of the division (who must be an Administrator if the user is one)',
    );
    for (const field of ['isStaff', 'isSuperuser']) {
      expect(fields.find((described) => described.field === field)).to.deep.equal({
        field,
        who: 'no one',
        operator: true,
      });
    }
  });

  it('says what the operator may do, also what no user may do', () => {
    expect(actions.find(({ action }) => action === 'moveUser')).to.include({ who: 'no one', operator: true });
    expect(actions.find(({ action }) => action === 'getUser')).to.include({ operator: false });
    const unwritten = fields.filter(({ operator }) => !operator).map(({ field }) => field);
    expect(unwritten).to.deep.equal(['currentPassword', 'division', 'id', 'dateJoined']);
  });

  it('is formatted as tables with aligned columns', () => {
    const described = {
      actions: [{ action: 'buyBeer', who: 'an adult', operator: true, knownTo: 'anyone' }],
      fields: [{ field: 'dateJoined', who: 'no one', operator: false }],
    };
    expect(policyTable(described)).to.equal(
      [
        '| Action   | Who may do it | Operator | Who may know of its target |',
        '| -------- | ------------- | -------- | -------------------------- |',
        '| buy beer | an adult      | yes      | anyone                     |',
        '',
        '| Field of a user | Who may write it | Operator |',
        '| --------------- | ---------------- | -------- |',
        '| date joined     | no one           | no       |',
        '',
      ].join('\n'),
    );
  });

  it('formats rows that are shorter than the header, and no rows', () => {
    expect(markdownTable([['Action', 'Who'], ['x']])).to.equal('| Action | Who |\n| ------ | --- |\n| x      |\n');
    expect(markdownTable([])).to.equal('|  |\n|  |\n');
  });
});
