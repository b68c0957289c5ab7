import { type Actor, forbiddenFields, type UserTarget } from '@chapter/domain';
import { expect } from 'chai';
import { idNamed, leader, OTHER, OWN } from '../../../../test-support/authorization/states.ts';

const plain: Actor = { ...leader, id: idNamed('target'), username: 'target', groups: ['User'] };
const target: UserTarget = { id: idNamed('target'), divisionId: OWN, isStaff: false, isSuperuser: false };

const refused = (actor: Actor, user: UserTarget, fields: Record<string, unknown>) =>
  forbiddenFields(actor, user, fields).map(({ field }) => field);

describe('Field rights', () => {
  const profile = { username: 1, email: 1, firstName: 1, lastName: 1, birthdate: 1, password: 1, currentPassword: 1 };

  it('let users write their own profile and password, and nothing that gives rights', () => {
    expect(refused(plain, target, { ...profile, groups: [], isActive: true })).to.deep.equal(['groups', 'isActive']);
  });

  it('let a Leader of the division write everything writable', () => {
    expect(refused(leader, target, { ...profile, groups: [], isActive: true, division: OWN })).to.deep.equal([]);
  });

  it('let Leaders write their own record with the rights of a Leader', () => {
    expect(refused(leader, { ...target, id: leader.id }, { groups: [], isActive: false })).to.deep.equal([]);
  });

  it('allow only the current division, in any case, whether another exists or not', () => {
    for (const actor of [plain, leader]) {
      expect(refused(actor, target, { division: OWN.toUpperCase() })).to.deep.equal([]);
      expect(refused(actor, target, { division: OTHER })).to.deep.equal(['division']);
    }
  });

  it('leave a value that is no id to the field checks', () => {
    expect(refused(plain, target, { division: 'x' })).to.deep.equal([]);
    expect(refused(plain, target, { division: 7 })).to.deep.equal([]);
  });

  for (const flag of ['isStaff', 'isSuperuser'] as const) {
    it(`forbid a Leader without flags to set the password of an Administrator (${flag})`, () => {
      const administrator = { ...target, [flag]: true };
      expect(refused(leader, administrator, { password: 'x' })).to.deep.equal(['password']);
      expect(refused({ ...leader, isStaff: true }, administrator, { password: 'x' })).to.deep.equal([]);
      expect(refused(plain, administrator, { password: 'x' })).to.deep.equal([]);
    });
  }

  it('describe the writable division in words that also fit a creation', () => {
    const [fault] = forbiddenFields(leader, { ...target, id: idNamed('new') }, { division: OTHER });
    expect(fault?.detail).to.equal(
      'may be written only by the user themself or a Leader of the division, and only with the id of that division',
    );
  });

  it('name the missing rule', () => {
    expect(forbiddenFields(plain, target, { groups: [] })).to.deep.equal([
      { field: 'groups', code: 'field_forbidden', detail: 'may be written only by a Leader of the division' },
    ]);
  });
});
