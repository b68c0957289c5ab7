import {
  actorOf,
  decideDeletion,
  decideImport,
  decideMove,
  decideRedemption,
  endedSessions,
  type ImportedUser,
  losesLeader,
  OPERATOR,
  requireErasable,
  type User,
  type UserWrite,
  unlockedUser,
  userAudit,
} from '@chapter/domain/ports';
import { aDivision, aLeader, aUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { refusal } from '../use-cases/setup.ts';
import { lockedBy, lockedUser } from './locked.ts';

const south = aDivision().with({ name: 'South' });
const SOUTH = { id: south.id, name: south.name };

describe('A move', () => {
  const locked = lockedUser({ user: aLeader(), division: SOUTH });

  it('keeps password and sessions, voids the link, and records the division after the other changes', () => {
    const { division } = locked.user;
    const write = decideMove(OPERATOR, locked, { values: { groups: ['User'] } });
    expect(write).to.deep.equal({
      kind: 'change',
      user: { ...locked.user, groups: ['User'], division: SOUTH },
      passwordHash: 'old hash',
      endsSessions: false,
      endsTokens: false,
      voidsLink: true,
      audit: userAudit(
        'moveUser',
        { ...locked.user, division: SOUTH },
        { groups: { old: ['Leader'], new: ['User'] }, division: { old: division, new: SOUTH } },
      ),
    });
    expect(Object.keys(write.audit.changes)).to.deep.equal(['groups', 'division']);
  });

  it('never changes id and date of joining', () => {
    const { user } = decideMove(OPERATOR, locked, { values: { id: south.id, dateJoined: '2020-01-01T00:00:00.000Z' } });
    expect(user).to.deep.equal({ ...locked.user, division: SOUTH });
  });

  it('to the present division is refused', async () => {
    const stays = lockedUser();
    const { message } = await refusal('forbidden', () => decideMove(OPERATOR, stays, { values: {} }));
    expect(message).to.equal('the user already belongs to this division');
  });
});

describe('An import of a stored user', () => {
  const stored = lockedUser({ user: aUser().with({ firstName: 'Ada' }) });
  const importOf = (imported: ImportedUser, locked = stored): UserWrite => {
    const write = decideImport(locked, imported);
    if (write === 'unchanged') throw new Error('the import changes nothing');
    return write;
  };

  it('can change every field except the id, and records them in the order of the fields', () => {
    const dateJoined = '2020-01-01T00:00:00.000Z';
    const values = { firstName: '', division: SOUTH, groups: ['Guest'], dateJoined } as const;
    const { audit, ...write } = importOf({ values, passwordHash: 'new hash' });
    expect(write).to.deep.equal({
      kind: 'change',
      user: { ...stored.user, ...values },
      passwordHash: 'new hash',
      endsSessions: true,
      endsTokens: false,
      voidsLink: true,
    });
    expect(audit).to.deep.include({ action: 'moveUser', targetId: stored.user.id, divisionId: south.id });
    expect(Object.entries(audit.changes)).to.deep.equal([
      ['firstName', { old: 'Ada', new: '' }],
      ['division', { old: stored.user.division, new: SOUTH }],
      ['groups', { old: ['User'], new: ['Guest'] }],
      ['dateJoined', { old: stored.user.dateJoined, new: dateJoined }],
      ['password', { old: null, new: 'changed' }],
    ]);
  });

  it('that stays in the division and keeps the password is a change like others', () => {
    const write = importOf({ values: { firstName: 'Eve' }, passwordHash: 'old hash' });
    expect(write).to.include({ endsSessions: false, voidsLink: false });
    expect(write.audit).to.deep.include({ action: 'updateUser', changes: { firstName: { old: 'Ada', new: 'Eve' } } });
  });

  it('that moves a user leaves only the default group, unless the file gives groups', () => {
    const leader = lockedUser({ user: aLeader() });
    expect(importOf({ values: { division: SOUTH } }, leader).user.groups).to.deep.equal(['User']);
    expect(
      importOf({ values: { division: leader.user.division, firstName: 'Eve' } }, leader).user.groups,
    ).to.deep.equal(['Leader']);
  });

  it('that gives the stored values and hash, or none, changes nothing', () => {
    expect(decideImport(stored, { values: { ...stored.user, groups: ['User'] }, passwordHash: 'old hash' })).to.equal(
      'unchanged',
    );
    expect(decideImport(stored, { values: {} })).to.equal('unchanged');
    expect(importOf({ values: {}, passwordHash: null })).to.include({ passwordHash: null, endsSessions: true });
  });
});

describe('A division', () => {
  it('loses a Leader who moves, becomes inactive or leaves the group', () => {
    const leader = aLeader();
    const changes: readonly Partial<User>[] = [{ division: SOUTH }, { isActive: false }, { groups: ['User'] }, {}];
    expect(changes.map((change) => losesLeader(leader, { ...leader, ...change }))).to.deep.equal([
      true,
      true,
      true,
      false,
    ]);
    expect(losesLeader({ ...leader, isActive: false }, { ...leader, division: SOUTH })).to.equal(false);
  });
});

describe('A redemption of a password link', () => {
  it('sets the password, ends the sessions and voids the link', () => {
    const { user } = lockedUser();
    expect(decideRedemption(user, 'new hash')).to.deep.equal({
      kind: 'change',
      user,
      passwordHash: 'new hash',
      endsSessions: true,
      endsTokens: false,
      voidsLink: true,
      audit: userAudit('redeemPasswordLink', user, { password: { old: null, new: 'changed' } }),
    });
  });
});

describe('A deletion', () => {
  const leader = aLeader();
  const user = aUser().of(leader.division).with({ firstName: 'Ada' });

  it('ends the sessions, voids the link, and records all values', () => {
    const locked = lockedUser({ user });
    const values = { username: user.username, firstName: 'Ada', lastName: '', groups: ['User'], isActive: true };
    const changes = Object.entries({ ...values, isStaff: false, isSuperuser: false }).map(([field, old]) => [
      field,
      { old, new: null },
    ]);
    expect(decideDeletion(OPERATOR, locked)).to.deep.equal({
      kind: 'delete',
      user: locked.user,
      passwordHash: 'old hash',
      endsSessions: true,
      endsTokens: true,
      voidsLink: true,
      audit: userAudit('deleteUser', user, Object.fromEntries(changes)),
    });
  });

  it('by a caller is decided by their rights as locked, then by the revision', async () => {
    const caller = actorOf(leader);
    const locked = lockedBy(leader, { user });
    expect(decideDeletion(caller, locked)).to.deep.equal(decideDeletion(OPERATOR, locked));
    expect(decideDeletion(caller, locked, { revisions: [user.revision] })).to.include({ kind: 'delete' });
    await refusal('precondition_failed', () => decideDeletion(caller, locked, { revisions: ['0.0'] }));
    const demoted = lockedBy(leader.with({ groups: ['Guest'] }), { user });
    await refusal('forbidden', () => decideDeletion(caller, demoted, { revisions: ['0.0'] }));
  });

  it('by a caller never removes the last Leader, not even the only member', async () => {
    const only = lockedBy(leader, { user: leader, isLastLeader: true });
    const caller = actorOf(leader);
    await refusal('last_leader', () => decideDeletion(caller, only));
    await refusal('precondition_failed', () => decideDeletion(caller, only, { revisions: [] }));
    expect(decideDeletion(OPERATOR, only)).to.include({ kind: 'delete' });
  });
});

describe('An erasure', () => {
  it('is refused to every user, and so is a move', async () => {
    const user = aUser();
    const locked = lockedBy(aLeader().of(user.division), { user, division: SOUTH });
    const caller = actorOf(aLeader().of(user.division));
    await refusal('forbidden', () => requireErasable(caller, locked, { force: true }));
    await refusal('forbidden', () => decideMove(caller, locked, { values: {}, force: true }));
    requireErasable(OPERATOR, locked, {});
  });
});

describe('The end of sessions or of a lock-out by the operator', () => {
  const { user } = lockedUser();

  it('records the id of one session or the number of all, and nothing if none ended', () => {
    const audited = { action: 'endSessions', targetType: 'user', targetId: user.id, divisionId: user.division.id };
    expect(endedSessions(user, null, 2)).to.deep.equal({ ...audited, changes: { sessions: { old: 2, new: 0 } } });
    expect(endedSessions(user, 'id', 1)).to.deep.equal({ ...audited, changes: { session: { old: 'id', new: null } } });
    expect([endedSessions(user, null, 0), endedSessions(user, 'id', 0)]).to.deep.equal([null, null]);
  });

  it('records cleared failures, and nothing if there were none', () => {
    const audited = userAudit('unlockUser', user, { failedLogins: { old: 3, new: 0 } });
    expect([unlockedUser(user, 3), unlockedUser(user, 0)]).to.deep.equal([audited, null]);
  });
});
