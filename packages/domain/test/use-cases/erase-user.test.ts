import { type Forceable, OPERATOR } from '@chapter/domain/ports';
import { deleteUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { acting, type Chapter, makeChapter, refusal } from './setup.ts';

describe('The operator who erases a user', () => {
  let chapter: Chapter;
  const erase = (id: string, options?: Forceable) => chapter.useCases.eraseUser(OPERATOR, id, options);
  beforeEach(async () => {
    chapter = await makeChapter();
  });

  it('erases a member', async () => {
    const { user, world } = chapter;
    const erased = await erase(user.id);
    expect(erased).to.deep.equal({ sessions: 0, auditEntries: 1, storedResponses: 0, counters: 0 });
    expect(await world.users.find(user.id)).to.equal(null);
    await refusal('not_found', () => erase(user.id));
  });

  it('erases what is left of a deleted user, without a rule about Leaders', async () => {
    const { lead, world } = chapter;
    await deleteUser(world, lead.id);
    expect(await erase(lead.id)).to.include({ auditEntries: 2 });
  });

  it('leaves nothing that a repeated creation could return', async () => {
    const { lead, useCases, world } = chapter;
    const sent = (firstName: string) => ({
      fields: { username: 'new', password: 'a long secret', firstName },
      idempotencyKey: 'key-1',
    });
    const create = () => useCases.createUser(acting(lead), () => sent('Ada'));
    const created = await create();
    expect((await create()).id).to.equal(created.id);
    await erase(created.id);
    await refusal('idempotency_conflict', create);
    const [entry] = await world.audit.list({ userIds: [created.id], limit: 1 });
    expect(entry).to.include({ action: 'eraseUser', authorName: 'operator' });
    await erase(lead.id, { force: true });
    const [, byLead] = await world.audit.list({ userIds: [created.id], limit: 9 });
    expect(byLead).to.include({ action: 'createUser', authorName: '(erased)', requestId: null });
  });

  it('records a pruning of the audit trail under the nil UUID', async () => {
    const { world } = chapter;
    expect(await chapter.useCases.pruneAudit(OPERATOR, '2027-01-01T00:00:00.000Z')).to.equal(6);
    const nil = '00000000-0000-0000-0000-000000000000';
    const [entry] = await world.audit.list({ divisionId: nil, limit: 9 });
    expect(entry).to.include({ action: 'pruneAudit', targetType: 'audit', targetId: nil });
  });
});
