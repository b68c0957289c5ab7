import { makeCreateUser, OPERATOR } from '@chapter/domain';
import { fakeHash, passwordIn } from '@chapter/domain/testing';
import { expect } from 'chai';
import { acting, type Chapter, faultsOf, makeChapter, refusal, unasked } from './setup.ts';

describe('createUser', () => {
  let chapter: Chapter;
  beforeEach(async () => {
    chapter = await makeChapter();
  });
  const create = (fields: Record<string, unknown>, idempotencyKey?: string) =>
    chapter.useCases.createUser(acting(chapter.lead), () => ({ fields, idempotencyKey }));
  const ada = { username: 'ada', password: 'analytical engine' };

  it('creates a User in the Leader’s division with defaults for absent fields', async () => {
    const { id, revision, ...user } = await create(ada);
    expect(user).to.deep.equal({
      username: 'ada',
      email: null,
      firstName: '',
      lastName: '',
      division: { id: chapter.north.id, name: 'North' },
      groups: ['User'],
      birthdate: null,
      isActive: true,
      isStaff: false,
      isSuperuser: false,
      dateJoined: chapter.world.clock.now(),
    });
    expect(await chapter.world.users.find(id)).to.have.property('revision', revision);
    const { passwordHash } = (await chapter.world.credentials.find(id)) ?? {};
    expect(passwordIn(passwordHash ?? '')).to.equal('analytical engine');
  });

  it('recognizes a repeated request by the text that release 0.1.0 stored', async () => {
    const texts: (string | undefined)[] = [];
    const { users } = chapter.world;
    const createUser = makeCreateUser({
      ...chapter.world,
      users: {
        ...users,
        create: (author, user, permit, once) => {
          texts.push(once?.request);
          return users.create(author, user, permit, once);
        },
      },
    });
    const fields = { ...ada, lastName: 'Lovelace' };
    await createUser(acting(chapter.lead), () => ({ fields, idempotencyKey: 'key' }));
    expect(texts).to.deep.equal([
      '{"email":null,"firstName":"","lastName":"Lovelace","birthdate":null,"groups":["User"],"isActive":true,' +
        `"username":"ada","divisionId":"${chapter.north.id}","isStaff":false,"isSuperuser":false}`,
    ]);
  });

  it('reads no input unless the caller is a Leader', async () => {
    for (const who of ['guest', 'user'] as const) {
      await refusal('forbidden', () => chapter.useCases.createUser(acting(chapter[who]), unasked));
    }
  });

  it('creates only in the Leader’s division, whether another exists or not', async () => {
    for (const division of [chapter.south.id, '0190a000-0000-7000-8000-00000000dead']) {
      const refused = await refusal('field_forbidden', () => create({ ...ada, division, email: 'x' }));
      expect(faultsOf(refused)).to.deep.equal(['division field_forbidden']);
    }
    expect((await create({ ...ada, division: chapter.north.id })).division.name).to.equal('North');
  });

  it('requires username and password, and reports all faults at once', async () => {
    const refused = await refusal('validation_failed', () => create({ isStaff: true, groups: ['x'] }));
    expect(faultsOf(refused)).to.deep.equal([
      'isStaff read_only',
      'groups invalid_format',
      'username required',
      'password required',
    ]);
  });

  it('accepts a birthdate up to today', async () => {
    const refused = await refusal('validation_failed', () => create({ ...ada, birthdate: '2026-01-16' }));
    expect(refused.faults).to.deep.equal([
      { field: 'birthdate', code: 'out_of_range', detail: 'must be from 1900-01-01 to 2026-01-15' },
    ]);
    expect(await create({ ...ada, birthdate: '2026-01-15' })).to.include({ birthdate: '2026-01-15' });
  });

  it('reports a fault of a required field once if the adapter found it', async () => {
    const faults = [{ field: 'username', code: 'invalid_type', detail: 'must be a string' }] as const;
    const refused = await refusal('validation_failed', () =>
      chapter.useCases.createUser(acting(chapter.lead), () => ({ fields: {}, faults })),
    );
    expect(faultsOf(refused)).to.deep.equal(['username invalid_type', 'password required']);
  });

  it('throws if a repository returns an earlier creation without a key', async () => {
    const prior = { request: '{}', passwordHash: null, user: chapter.user };
    const users = { ...chapter.world.users, create: () => Promise.resolve({ prior }) };
    const createUser = makeCreateUser({ ...chapter.world, users });
    await refusal('idempotency_conflict', () => createUser(acting(chapter.lead), () => ({ fields: ada })));
  });

  it('rejects a guessable password', async () => {
    const refused = await refusal('validation_failed', () =>
      create({ username: 'ada.lovelace', password: 'Ada.Lovelace' }),
    );
    expect(faultsOf(refused)).to.deep.equal(['password too_common']);
  });

  it('reports a taken username or email', async () => {
    await create({ ...ada, email: 'ada@example.org' });
    await refusal('username_taken', () => create({ ...ada, username: 'ADA' }));
    await refusal('email_taken', () => create({ ...ada, username: 'bea', email: 'ADA@example.org' }));
  });

  it('creates once with a key, and returns the first result again, also if the user has changed since', async () => {
    const first = await create(ada, 'key-1');
    await chapter.world.users.update(OPERATOR, first.id, ({ user }) => ({
      user: { ...user, lastName: 'L' },
      endsSessions: false,
    }));
    expect(await create({ password: ada.password, username: ' ada ' }, 'key-1')).to.deep.equal(first);
  });

  it('waits for the hasher once: checking a repeated password continues the hash', async () => {
    const { hasher } = chapter.world;
    await create(ada, 'key-1');
    await create(ada, 'key-1');
    expect(hasher.continuations).to.deep.equal([false, false, true]);
  });

  it('computes nothing for a client that disconnected', async () => {
    const origin = { requestId: null, network: null, isAbandoned: () => true };
    const gone = { ...acting(chapter.lead), origin };
    await refusal('unavailable', () => chapter.useCases.createUser(gone, () => ({ fields: ada })));
    expect(chapter.world.hasher.work.count).to.equal(0);
  });

  it('rejects another body with the same key, including another password', async () => {
    await create(ada, 'key-1');
    await refusal('idempotency_conflict', () => create({ ...ada, lastName: 'L' }, 'key-1'));
    await refusal('idempotency_conflict', () => create({ ...ada, password: 'difference engine' }, 'key-1'));
  });

  it('does not compare a password that has changed since, so that it reveals nothing about a guess', async () => {
    const first = await create(ada, 'key-1');
    await chapter.world.users.update(OPERATOR, first.id, ({ user }) => ({
      user,
      passwordHash: fakeHash('another secret'),
      endsSessions: true,
    }));
    const { count } = chapter.world.hasher.work;
    for (const password of [ada.password, 'another secret', 'a wrong guess']) {
      expect(await create({ ...ada, password }, 'key-1')).to.deep.equal(first);
    }
    // One hash each for the potential new user; none to compare.
    expect(chapter.world.hasher.work.count - count).to.equal(3);
  });

  it('returns the first response if the user was deleted since, and still rejects another body', async () => {
    const first = await create(ada, 'key-1');
    await chapter.world.users.delete(OPERATOR, first.id, () => {});
    expect(await create(ada, 'key-1')).to.deep.equal(first);
    await refusal('idempotency_conflict', () => create({ ...ada, lastName: 'L' }, 'key-1'));
  });

  it('checks permission again in the transaction', async () => {
    const { useCases, lead, world } = chapter;
    const creation = useCases.createUser(acting(lead), async () => {
      await world.users.update(OPERATOR, lead.id, ({ user }) => ({
        user: { ...user, groups: ['Guest'] },
        endsSessions: false,
      }));
      return { fields: ada };
    });
    await refusal('forbidden', () => creation);
    expect(await world.credentials.findByUsername('ada')).to.equal(null);
  });

  it('works for an actor outside a request', async () => {
    const { origin: _, ...actor } = acting(chapter.lead);
    expect((await chapter.useCases.createUser(actor, () => ({ fields: ada }))).username).to.equal('ada');
  });
});
