import { authorOf, OPERATOR, pick, USER_FIELDS } from '@chapter/domain/ports';
import { deleteUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { acting, type Chapter, makeChapter, refusal } from './setup.ts';

const NETWORK = '192.0.2.0/24';

describe('The data that is exported for a user', () => {
  let chapter: Chapter;
  const exportData = (id: string) => chapter.useCases.exportUserData(OPERATOR, id);
  const link = ({ id }: { readonly id: string }) => chapter.useCases.createPasswordLink(OPERATOR, id, () => {});
  beforeEach(async () => {
    chapter = await makeChapter();
  });

  it('is what is stored about the user', async () => {
    const { useCases, user, world } = chapter;
    const login = { username: 'user', password: 'user-secret', network: NETWORK, userAgent: 'Phone/1.0' };
    await useCases.logIn(login);
    await refusal('invalid_credentials', () => useCases.logIn({ ...login, password: 'wrong' }));
    const createdAt = world.clock.now();
    const { expiresAt } = await link(user);
    world.clock.advance(60);
    const fields = { name: 'script', expiresAt: '2026-12-31T00:00:00Z' };
    const { token, ...shown } = await useCases.createAccessToken(acting(user), user.id, () => ({ fields }));
    const { auditEntries, counters, sessions, ...rest } = await exportData(user.id);
    expect(rest).to.deep.equal({
      id: user.id,
      user: pick(user, USER_FIELDS),
      hasPassword: true,
      lastActiveOn: createdAt.slice(0, 10),
      passwordLink: { createdAt, expiresAt },
      personalAccessTokens: [shown],
      idempotencyKeys: [],
      storedResponses: [],
    });
    expect(sessions.map(({ userAgent }) => userAgent)).to.deep.equal(['Phone/1.0']);
    expect(counters.map(({ count, kind }) => [kind, count])).to.deep.equal([['logins', 1]]);
    expect(auditEntries.map(({ action, by, target }) => [action, by, target])).to.deep.equal([
      ['createUser', 'operator', 'self'],
      ['createPasswordLink', 'operator', 'self'],
      ['createAccessToken', 'self', 'self'],
    ]);
    expect(auditEntries[0]?.changes['username']).to.deep.equal({ old: null, new: 'user' });
    expect(JSON.stringify(await exportData(user.id))).not.to.include(token);
    expect(JSON.stringify(await exportData(user.id))).not.to.include(
      (await world.credentials.find(user.id))?.passwordHash ?? 'a user without a hash',
    );
  });

  it('has the newest link that was created for the user, and none without a link', async () => {
    const { guest, lead, useCases, user, world } = chapter;
    expect((await exportData(user.id)).passwordLink).to.equal(null);
    const minute = async <T>(work: Promise<T>): Promise<string> => {
      await work;
      const at = world.clock.now();
      world.clock.advance(60);
      return at;
    };
    await minute(link(user));
    const ofUser = await minute(useCases.createPasswordLink(acting(lead), user.id, () => {}));
    await minute(useCases.updateUser(acting(lead), user.id, () => ({ fields: { firstName: 'Uma' } })));
    expect((await exportData(user.id)).passwordLink?.createdAt).to.equal(ofUser);
    const ofLead = await minute(link(lead));
    await minute(useCases.createPasswordLink(acting(lead), guest.id, () => {}));
    expect((await exportData(lead.id)).passwordLink?.createdAt).to.equal(ofLead);
    await world.erasure.pruneAudit(OPERATOR, '2999-01-01T00:00:00.000Z');
    expect((await exportData(lead.id)).passwordLink).to.include({ createdAt: null });
  });

  it('has what the user changed, without values of other users', async () => {
    const { lead, north, useCases, user } = chapter;
    await useCases.updateUser(acting(lead), user.id, () => ({ fields: { firstName: 'Uma' } }));
    await useCases.updateDivision(acting(lead), north.id, () => ({ fields: { name: 'West' } }));
    await useCases.updateUser(acting(lead), lead.id, () => ({ fields: { lastName: 'Lind' } }));
    const exported = await exportData(lead.id);
    const nothing = { old: null, new: null };
    const common = { at: chapter.world.clock.now(), by: 'self', divisionId: north.id, requestId: 'request-1' };
    expect(exported.auditEntries.slice(1)).to.deep.equal(
      [
        { action: 'updateUser', target: 'another user', changes: { firstName: nothing } },
        { action: 'updateDivision', target: 'division', changes: { name: { old: 'North', new: 'West' } } },
        { action: 'updateUser', target: 'self', changes: { lastName: { old: '', new: 'Lind' } } },
      ].map((entry) => Object.assign(entry, common)),
    );
    expect(JSON.stringify(exported)).not.to.include('Uma').and.not.include(user.id);
  });

  it('has what others changed, without saying who and with which request', async () => {
    const { lead, useCases, user } = chapter;
    await useCases.updateUser(acting(lead), user.id, () => ({ fields: { firstName: 'Uma' } }));
    const exported = await exportData(user.id);
    expect(exported.auditEntries.at(-1)).to.deep.include({
      by: 'another user',
      target: 'self',
      requestId: null,
      changes: { firstName: { old: '', new: 'Uma' } },
    });
    expect(JSON.stringify(exported)).not.to.include(lead.id).and.not.include('request-1');
  });

  it('has the stored response to the creation of the user, and the keys that the user sent', async () => {
    const { lead, useCases, world } = chapter;
    const createdAt = world.clock.now();
    const created = await useCases.createUser(acting(lead), () => ({
      fields: { username: 'new', password: 'a long secret' },
      idempotencyKey: 'key-1',
    }));
    const { idempotencyKeys, storedResponses } = await exportData(created.id);
    expect(storedResponses).to.deep.equal([{ createdAt, user: pick(created, USER_FIELDS) }]);
    expect(idempotencyKeys).to.deep.equal([]);
    const ofLead = await exportData(lead.id);
    expect(ofLead.idempotencyKeys).to.deep.equal([{ key: 'key-1', createdAt }]);
    expect(JSON.stringify(ofLead)).not.to.include('"new":"new"').and.not.include(created.id);
  });

  it('is what is left of a deleted user, and nothing for an unknown one', async () => {
    const { lead, user, world } = chapter;
    await deleteUser(world, user.id, authorOf(acting(lead)));
    const exported = await exportData(user.id);
    expect(exported).to.include({ user: null, hasPassword: false, passwordLink: null });
    expect(exported.auditEntries.map(({ action }) => action)).to.deep.equal(['createUser', 'deleteUser']);
    await refusal('not_found', () => exportData(world.ids.next()));
  });
});
