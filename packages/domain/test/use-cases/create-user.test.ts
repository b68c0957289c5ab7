import { type FairQueue, makeUseCases, unavailable } from '@chapter/domain/api';
import { changeUser, fakeHash, passwordIn } from '@chapter/domain/testing';
import { expect } from 'chai';
import { acting, faultsOf, refusal, useChapter } from './setup.ts';

describe('createUser', () => {
  const chapter = useChapter();
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
    const { createUser } = makeUseCases({
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
      'username required',
      'password required',
      'isStaff read_only',
      'groups invalid_format',
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
    const { createUser } = makeUseCases({ ...chapter.world, users });
    await refusal('idempotency_conflict', () => createUser(acting(chapter.lead), () => ({ fields: ada })));
  });

  it('rejects a guessable password', async () => {
    const refused = await refusal('validation_failed', () =>
      create({ username: 'ada.lovelace', password: 'Ada.Lovelace' }),
    );
    expect(faultsOf(refused)).to.deep.equal(['password too_common']);
  });

  it('creates once with a key, and returns the first result again, also if the user has changed since', async () => {
    const first = await create(ada, 'key-1');
    await changeUser(chapter.world, first.id, { lastName: 'L' });
    expect(await create({ password: ada.password, username: ' ada ' }, 'key-1')).to.deep.equal(first);
  });

  it('hashes nothing for a repeated request, and only compares the password', async () => {
    const { hasher } = chapter.world;
    await create(ada, 'key-1');
    const hash = hasher.hash.bind(hasher);
    hasher.hash = () => expect.fail('hashed');
    const verify = hasher.verify.bind(hasher);
    const coalesced: unknown[] = [];
    hasher.verify = (password, stored, request) => {
      coalesced.push(request?.isCoalesced);
      return verify(password, stored, request);
    };
    await create(ada, 'key-1');
    await refusal('idempotency_conflict', () => create({ ...ada, lastName: 'L' }, 'key-1'));
    expect(coalesced).to.deep.equal([true]);
    hasher.hash = hash;
    expect(hasher.work.count).to.equal(2);
  });

  it('looks nothing up while the queue of hashes is full for the caller', async () => {
    const { hasher, users } = chapter.world;
    const shares: unknown[] = [];
    const requireCapacity = (share: unknown) => {
      shares.push(share);
      throw unavailable();
    };
    const checkCreation = () => expect.fail('looked up');
    const { createUser } = makeUseCases({
      ...chapter.world,
      hasher: { ...hasher, requireCapacity },
      users: { ...users, checkCreation },
    });
    await refusal('unavailable', () => createUser(acting(chapter.lead), () => ({ fields: ada })));
    expect(shares).to.deep.equal([['callers', chapter.lead.id]]);
  });

  it('waits for the hasher once if another instance has created the user: the comparison continues the hash', async () => {
    const { hasher, users } = chapter.world;
    await create(ada, 'key-1');
    const { createUser } = makeUseCases({ ...chapter.world, users: { ...users, checkCreation: async () => null } });
    await createUser(acting(chapter.lead), () => ({ fields: ada, idempotencyKey: 'key-1' }));
    expect(hasher.continuations).to.deep.equal([false, false, true]);
  });

  it('hashes nothing for a taken username or email', async () => {
    const { hasher } = chapter.world;
    await create({ ...ada, email: 'ada@example.org' });
    hasher.work.count = 0;
    for (const fields of [ada, { ...ada, username: 'bea', email: 'ADA@example.org' }]) {
      const taken = fields === ada ? 'username_taken' : 'email_taken';
      await refusal(taken, () => create(fields));
    }
    expect(hasher.work.count).to.equal(0);
  });

  it('hashes once for simultaneous creations of one username', async () => {
    const { hasher } = chapter.world;
    const waiting: (() => Promise<void>)[] = [];
    const names: string[] = [];
    const usernames: FairQueue['run'] = ([name], work) => {
      names.push(name);
      return new Promise((resolve, reject) => {
        waiting.push(() => work((inner) => inner()).then(resolve, reject));
      });
    };
    const { createUser } = makeUseCases({ ...chapter.world, usernames: { run: usernames } });
    const creations = ['ada', 'ADA', 'Ada'].map((username) =>
      createUser(acting(chapter.lead), () => ({ fields: { ...ada, username } })),
    );
    const all = Promise.allSettled(creations);
    await new Promise(setImmediate);
    for (const run of waiting) await run();
    expect((await all).map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'rejected']);
    expect(names).to.deep.equal(['ada', 'ada', 'ada']);
    expect(hasher.work.count).to.equal(1);
  });

  it('hashes as the caller, so that each caller has a share', async () => {
    await create(ada, 'key-1');
    await create(ada, 'key-1');
    const share = ['callers', chapter.lead.id];
    expect(chapter.world.hasher.shares).to.deep.equal([share, share]);
  });

  it('rejects another body with the same key, including another password', async () => {
    await create(ada, 'key-1');
    await refusal('idempotency_conflict', () => create({ ...ada, lastName: 'L' }, 'key-1'));
    await refusal('idempotency_conflict', () => create({ ...ada, password: 'difference engine' }, 'key-1'));
  });

  it('does not compare a password that has changed since, so that it reveals nothing about a guess', async () => {
    const first = await create(ada, 'key-1');
    await changeUser(chapter.world, first.id, {}, { passwordHash: fakeHash('another secret') });
    const { count } = chapter.world.hasher.work;
    for (const password of [ada.password, 'another secret', 'a wrong guess']) {
      expect(await create({ ...ada, password }, 'key-1')).to.deep.equal(first);
    }
    expect(chapter.world.hasher.work.count - count).to.equal(0);
  });

  it('works for an actor outside a request', async () => {
    const { origin: _, ...actor } = acting(chapter.lead);
    expect((await chapter.useCases.createUser(actor, () => ({ fields: ada }))).username).to.equal('ada');
  });
});
