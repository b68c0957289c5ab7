import { unavailable } from '@chapter/domain/ports';
import { changeUser, fakeHash, passwordIn, weakFakeHash } from '@chapter/domain/testing';
import { expect } from 'chai';
import { refusal, useChapter } from './setup.ts';

describe('Logins', () => {
  const chapter = useChapter();
  const listed = () => chapter.world.sessions.list(chapter.user.id);

  it('start a session for a username, regardless of case, and its password', async () => {
    const session = await chapter.logIn(' USER ', 'user-secret');
    expect(session).to.include({ expiresIn: 900, refreshExpiresIn: 1_209_600 });
    expect(await chapter.authenticate(session.accessToken)).to.deep.include({
      id: chapter.user.id,
      groups: ['User'],
      divisionId: chapter.north.id,
      origin: { requestId: 'r', network: 'n' },
    });
  });

  it('store the user agent, cut to 200 characters', async () => {
    const request = { username: 'user', password: 'user-secret', network: '192.0.2.0/24' };
    for (const userAgent of [undefined, null, 'x'.repeat(201)]) {
      await chapter.useCases.logIn(userAgent === undefined ? request : { ...request, userAgent });
      chapter.world.clock.advance(1);
    }
    expect((await listed()).map(({ userAgent }) => userAgent)).to.deep.equal(['x'.repeat(200), null, null]);
  });

  it('fail for unknown, wrong, inactive or unset credentials, each at the cost of one hash', async () => {
    await chapter.admit('idle', ['User'], { isActive: false });
    await chapter.admit('blank', ['User'], { passwordHash: null });
    for (const [username, password] of [
      ['unknown', 'user-secret'],
      ['user', 'wrong'],
      ['idle', 'idle-secret'],
      ['blank', 'blank-secret'],
    ] as const) {
      chapter.world.hasher.work.count = 0;
      await refusal('invalid_credentials', () => chapter.logIn(username, password));
      expect(chapter.world.hasher.work.count).to.equal(1);
    }
  });

  it('accept an old password that contains other control characters', async () => {
    await chapter.admit('old', ['User'], { passwordHash: fakeHash('old\tsecret\n') });
    expect(await chapter.logIn('old', 'old\tsecret\n')).to.have.property('accessToken');
    await refusal('invalid_credentials', () => chapter.logIn('old', 'old secret'));
  });

  it('are logged with outcome and user, and never with the typed text', async () => {
    const { guest, lead, user, world } = chapter;
    const attempt = (username: string, password: string, requestId: string) =>
      chapter.useCases.logIn({ username, password, network: '192.0.2.0/24', requestId });
    await attempt('user', 'user-secret', 'r1');
    await refusal('invalid_credentials', () => attempt('user', 'wrong', 'r2'));
    await refusal('invalid_credentials', () => attempt('my password', 'x', 'r3'));
    await changeUser(world, lead.id, { isActive: false });
    await refusal('invalid_credentials', () => attempt('lead', 'lead-secret', 'r4'));
    for (let time = 0; time < 10; time++) await refusal('invalid_credentials', () => attempt('guest', 'wrong', 'r5'));
    await refusal('rate_limited', () => attempt('guest', 'guest-secret', 'r6'));
    world.hasher.requireCapacity = () => {
      throw unavailable();
    };
    await refusal('unavailable', () => attempt('user', 'user-secret', 'r7'));
    expect(world.loginLog.entries.filter(({ requestId }) => requestId !== 'r5')).to.deep.equal([
      { outcome: 'succeeded', userId: user.id, requestId: 'r1' },
      { outcome: 'refused', userId: user.id, requestId: 'r2' },
      { outcome: 'refused', userId: null, requestId: 'r3' },
      { outcome: 'refused', userId: lead.id, requestId: 'r4' },
      { outcome: 'limited', userId: guest.id, requestId: 'r6' },
      { outcome: 'unavailable', userId: null, requestId: 'r7' },
    ]);
  });

  it('fail for a password that contains a NUL, at the cost of one hash', async () => {
    for (const password of ['user-secret\0', 'user-secret\0\0\0', 'user-secret\0x', '\0']) {
      chapter.world.hasher.work.count = 0;
      await refusal('invalid_credentials', () => chapter.logIn('user', password));
      expect(chapter.world.hasher.work.count).to.equal(1);
    }
  });

  it('fail for an unreadable password even if the stored hash is that of the empty text', async () => {
    await chapter.admit('empty', ['User'], { passwordHash: fakeHash('') });
    for (const refused of ['\0', 'x'.repeat(5000)]) {
      await refusal('invalid_credentials', () => chapter.logIn('empty', refused));
    }
  });

  it('replace a weak hash', async () => {
    await chapter.admit('old', ['User'], { passwordHash: weakFakeHash('old-secret') });
    expect(await chapter.logIn('old', 'old-secret')).to.have.property('accessToken');
    const renewed = (await chapter.world.credentials.findByUsername('old'))?.passwordHash ?? '';
    expect([passwordIn(renewed), chapter.world.hasher.isWeak(renewed)]).to.deep.equal(['old-secret', false]);
  });

  it('keep a hash that is as strong as a new one', async () => {
    const hashOf = async () => (await chapter.world.credentials.find(chapter.user.id))?.passwordHash;
    const before = await hashOf();
    await chapter.logIn('user', 'user-secret');
    expect([await hashOf(), chapter.world.hasher.work.count]).to.deep.equal([before, 1]);
  });

  it('succeed even if the queue is full for replacing a weak hash', async () => {
    await chapter.admit('old', ['User'], { passwordHash: weakFakeHash('old-secret') });
    chapter.world.hasher.hash = () => Promise.reject(unavailable());
    expect(await chapter.logIn('old', 'old-secret')).to.have.property('accessToken');
  });

  it('rethrow an error of the hasher, other than a refusal, while a weak hash is replaced', async () => {
    await chapter.admit('old', ['User'], { passwordHash: weakFakeHash('old-secret') });
    chapter.world.hasher.hash = () => Promise.reject(new RangeError('a fault of the hasher'));
    const error: unknown = await chapter.logIn('old', 'old-secret').catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(RangeError);
  });

  it('count no attempt while the hashing queue is full, so that a flood locks no one out', async () => {
    let full = true;
    chapter.world.hasher.requireCapacity = () => {
      if (full) throw unavailable();
    };
    for (let tries = 0; tries < 12; tries++) await refusal('unavailable', () => chapter.logIn('user', 'user-secret'));
    full = false;
    expect(await chapter.logIn('user', 'user-secret')).to.have.property('accessToken');
  });

  it('count no attempt that the hasher refuses, so that a flood from elsewhere locks no one out', async () => {
    const { hasher } = chapter.world;
    const verify = hasher.verify.bind(hasher);
    hasher.verify = () => Promise.reject(unavailable());
    for (let tries = 0; tries < 12; tries++) await refusal('unavailable', () => chapter.logIn('user', 'user-secret'));
    hasher.verify = verify;
    expect(await chapter.logIn('user', 'user-secret')).to.have.property('accessToken');
  });

  it('compute no hash for a client that disconnected, and count its attempts', async () => {
    const { hasher } = chapter.world;
    const leave = () =>
      chapter.useCases.logIn({ username: 'user', password: 'x', network: '192.0.2.0/24', isAbandoned: () => true });
    for (let tries = 0; tries < 10; tries++) await refusal('unavailable', leave);
    expect(hasher.work.count).to.equal(0);
    await refusal('rate_limited', () => chapter.logIn('user', 'user-secret'));
  });

  it('belong to the share of their network and of the username, in any letter case', async () => {
    const { hasher } = chapter.world;
    await chapter.admit('old', ['User'], { passwordHash: weakFakeHash('old-secret') });
    await chapter.logIn('OLD', 'old-secret', '192.0.2.0/24');
    await refusal('invalid_credentials', () => chapter.logIn('absent', 'x', '198.51.100.0/24'));
    const old = ['logins', '192.0.2.0/24', 'old'];
    expect(hasher.shares).to.deep.equal([old, old, ['logins', '198.51.100.0/24', 'absent']]);
  });

  it('wait once: further hashes of the same login are continuations', async () => {
    const { hasher, sessions } = chapter.world;
    await chapter.admit('old', ['User'], { passwordHash: weakFakeHash('old-secret') });
    const start = sessions.start.bind(sessions);
    const outcomes = [false, true];
    sessions.start = async (...session) => (outcomes.shift() ? start(...session) : null);
    await chapter.logIn('old', 'old-secret');
    expect(hasher.continuations).to.deep.equal([false, true, true]);
  });

  it('check a password at most three times while its hash is replaced', async () => {
    chapter.world.sessions.start = () => Promise.resolve(null);
    await refusal('invalid_credentials', () => chapter.logIn('user', 'user-secret'));
    expect(chapter.world.hasher.work.count).to.equal(3);
  });

  it('look the user up once, and again if the hash is replaced during the check', async () => {
    const { credentials, hasher, users } = chapter.world;
    let lookUps = 0;
    const find = credentials.findByUsername.bind(credentials);
    credentials.findByUsername = (username) => {
      lookUps += 1;
      return find(username);
    };
    await chapter.logIn('user', 'user-secret');
    expect(lookUps).to.equal(1);
    const verify = hasher.verify.bind(hasher);
    hasher.verify = async (...call) => {
      hasher.verify = verify;
      await changeUser({ users }, chapter.user.id, {}, { passwordHash: fakeHash('user-secret', 99) });
      return verify(...call);
    };
    expect(await chapter.logIn('user', 'user-secret')).to.have.property('accessToken');
    expect(lookUps).to.equal(3);
  });
});
