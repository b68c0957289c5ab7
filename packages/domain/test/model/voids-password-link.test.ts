import { type User, voidsPasswordLink } from '@chapter/domain';
import { aDivision, aUser } from '@chapter/domain/testing';
import { expect } from 'chai';

describe('voidsPasswordLink', () => {
  const user = aUser().with({});
  const south = aDivision().with({ name: 'South' });

  const voiding: readonly (readonly [string, Partial<User>])[] = [
    ['the division', { division: { id: south.id, name: south.name } }],
    ['is_staff', { isStaff: true }],
    ['is_superuser', { isSuperuser: true }],
  ];
  for (const [field, change] of voiding) {
    it(`returns true for a change of only ${field}, in either direction`, () => {
      const changed = { ...user, ...change };
      expect(voidsPasswordLink(user, changed, false)).to.equal(true);
      expect(voidsPasswordLink(changed, user, false)).to.equal(true);
    });
  }

  it('returns true for a new password', () => {
    expect(voidsPasswordLink(user, user, true)).to.equal(true);
  });

  it('returns false for changes of all other fields, also for a new name of the division', () => {
    const changed: User = {
      ...user,
      username: 'renamed',
      email: 'renamed@example.org',
      firstName: 'Ada',
      lastName: 'Lovelace',
      division: { ...user.division, name: 'Renamed' },
      groups: ['Leader'],
      birthdate: '1990-12-10',
      isActive: !user.isActive,
    };
    expect(voidsPasswordLink(user, changed, false)).to.equal(false);
  });
});
