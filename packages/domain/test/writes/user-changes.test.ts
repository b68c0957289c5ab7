import {
  actorOf,
  type Credentials,
  decideCreation,
  decideUpdate,
  type LockedUser,
  type User,
  type UserWrite,
  userAudit,
} from '@chapter/domain/ports';
import { aDivision, aLeader, asNewUser, aUser, decideChange } from '@chapter/domain/testing';
import { expect } from 'chai';
import { refusal } from '../use-cases/setup.ts';
import { lockedBy, lockedUser } from './locked.ts';

const NO_EFFECTS = { endsSessions: false, endsTokens: false, voidsLink: false };
const south = aDivision().with({ name: 'South' });
const SOUTH = { id: south.id, name: south.name };

/** Returns a write that must not be `unchanged`. */
const written = (write: UserWrite | 'unchanged'): UserWrite => {
  if (write === 'unchanged') throw new Error('nothing changed');
  return write;
};

const setting = (locked: LockedUser, values: Partial<User>) => written(decideChange(locked, { values }));

describe('A creation', () => {
  const ada = aUser().with({ email: 'ada@example.org', firstName: 'Ada' });

  it('stores the user in the division and records every value except the password', () => {
    const { revision: _, divisionId: __, ...fields } = ada;
    expect(decideCreation(asNewUser(ada, 'hash'), SOUTH)).to.deep.equal({
      kind: 'create',
      user: { ...fields, division: SOUTH, revision: '' },
      passwordHash: 'hash',
      ...NO_EFFECTS,
      audit: userAudit(
        'createUser',
        { ...ada, division: SOUTH },
        {
          username: { old: null, new: ada.username },
          email: { old: null, new: 'ada@example.org' },
          firstName: { old: null, new: 'Ada' },
          lastName: { old: null, new: '' },
          groups: { old: null, new: ['User'] },
          isActive: { old: null, new: true },
          isStaff: { old: null, new: false },
          isSuperuser: { old: null, new: false },
          password: { old: null, new: 'changed' },
        },
      ),
    });
  });

  it('records no password if none was set', () => {
    expect(decideCreation(asNewUser(ada), SOUTH).audit.changes).not.to.have.property('password');
  });
});

describe('A change', () => {
  it('keeps other values and the hash, and records the changed fields with old and new values', () => {
    const locked = lockedUser();
    expect(setting(locked, { email: 'ada@example.org', groups: ['Guest'] })).to.deep.equal({
      kind: 'change',
      user: { ...locked.user, email: 'ada@example.org', groups: ['Guest'] },
      passwordHash: 'old hash',
      ...NO_EFFECTS,
      audit: userAudit('updateUser', locked.user, {
        email: { old: null, new: 'ada@example.org' },
        groups: { old: ['User'], new: ['Guest'] },
      }),
    });
  });

  it('never changes id, division and date of joining', () => {
    const locked = lockedUser();
    const { user } = setting(locked, {
      id: south.id,
      division: SOUTH,
      dateJoined: '2020-01-01T00:00:00.000Z',
      lastName: 'L',
    });
    expect(user).to.deep.equal({ ...locked.user, lastName: 'L' });
  });

  it('is none if every value and the hash are as stored', () => {
    const locked = lockedUser({ user: aUser().with({ groups: ['Guest', 'User'] }) });
    const values = { ...locked.user, groups: [...locked.user.groups] };
    expect(decideChange(locked, { values })).to.equal('unchanged');
    expect(decideChange(locked, { values, passwordHash: 'old hash' })).to.equal('unchanged');
  });

  it('of the password ends the sessions, voids the link, and is recorded without its value', () => {
    const { audit, ...write } = written(
      decideChange(lockedUser(), { values: {}, password: 'a secret', passwordHash: 'new hash' }),
    );
    expect(write).to.include({
      passwordHash: 'new hash',
      endsSessions: true,
      endsTokens: false,
      voidsLink: true,
    });
    expect(audit.changes).to.deep.equal({ password: { old: null, new: 'changed' } });
  });

  it('ends the sessions of a user who is inactive after it, and of no other', () => {
    const inactive = aUser().inactive();
    expect(setting(lockedUser(), { isActive: false })).to.include({ endsSessions: true, voidsLink: false });
    expect(setting(lockedUser({ user: inactive }), { lastName: 'L' })).to.include({ endsSessions: true });
    expect(setting(lockedUser({ user: inactive }), { isActive: true })).to.include({ ...NO_EFFECTS, endsTokens: true });
  });

  it('ends the tokens of a user who is inactive before or after it, and of no other', () => {
    const inactive = lockedUser({ user: aUser().inactive() });
    expect(setting(lockedUser(), { isActive: false })).to.include({ endsTokens: true });
    for (const values of [{ lastName: 'L' }, { isActive: true }]) {
      expect(setting(inactive, values)).to.include({ endsTokens: true });
      expect(setting(lockedUser(), { ...values, lastName: 'M' })).to.include({ endsTokens: false });
    }
  });

  for (const flag of ['isStaff', 'isSuperuser'] as const) {
    it(`of only ${flag} voids the password link, in either direction`, () => {
      for (const value of [false, true]) {
        const locked = lockedUser({ user: aUser().with({ [flag]: value }) });
        expect(setting(locked, { [flag]: !value })).to.include({ endsSessions: false, voidsLink: true });
      }
    });
  }

  it('of all other fields voids no password link', () => {
    const values = {
      username: 'renamed',
      email: 'renamed@example.org',
      firstName: 'Ada',
      lastName: 'Lovelace',
      groups: ['Leader'],
      birthdate: '1990-12-10',
      isActive: false,
    } as const;
    expect(setting(lockedUser(), values)).to.include({ voidsLink: false });
  });

  it('refuses a password that is one of the names after the change', async () => {
    for (const values of [{ username: 'Countess' }, { email: 'COUNTESS' }]) {
      await refusal('validation_failed', () => decideChange(lockedUser(), { values, password: 'countess' }));
    }
    const locked = lockedUser({ user: aUser().with({ username: 'countess' }) });
    await refusal('validation_failed', () => decideChange(locked, { values: {}, password: 'countess' }));
    const renamed = { values: { username: 'ada' }, password: 'countess', passwordHash: 'new hash' };
    expect(decideChange(locked, renamed)).to.include({ kind: 'change' });
  });

  it('refuses another revision than those known', async () => {
    const locked = lockedUser();
    const values = { lastName: 'L' };
    await refusal('precondition_failed', () => decideChange(locked, { values, revisions: [] }));
    await refusal('precondition_failed', () => decideChange(locked, { values, revisions: ['0.0'] }));
    const revisions = ['0.0', locked.user.revision];
    expect(decideChange(locked, { values, revisions })).to.include({ kind: 'change' });
  });
});

describe('A change by a caller', () => {
  const leader = aLeader();
  const user = aUser().of(leader.division);
  const update = (locked: LockedUser, values: Partial<User>, checked?: Credentials) =>
    decideUpdate(actorOf(leader), locked, { fields: values, values, checked });

  it('is refused for fields that the author may not write, even if they stay the same', async () => {
    const self = lockedBy(user, { user });
    expect(update(self, { lastName: 'L' })).to.include({ kind: 'change' });
    await refusal('field_forbidden', () => update(self, { lastName: 'L', groups: user.groups }));
  });

  it('is refused if the password is no longer the one that was checked, but not if only its hash was renewed', async () => {
    const self = lockedBy(user, { user });
    const changed = { ...user, revision: '0.0' };
    const change = (checked: Credentials) => update(self, { lastName: 'L' }, checked);
    expect(change({ user: changed, passwordHash: 'old hash' })).to.include({ kind: 'change' });
    expect(change({ user, passwordHash: 'weak hash' })).to.include({ kind: 'change' });
    await refusal('validation_failed', () => change({ user: changed, passwordHash: 'another hash' }));
  });
});
