import { invalidToken, makeAuthenticate, OPERATOR, unavailable } from '@chapter/domain';
import { fakeHash, passwordIn, weakFakeHash } from '@chapter/domain/testing';
import { expect } from 'chai';
import { type Chapter, makeChapter, refusal } from './setup.ts';

describe('Sessions', () => {
  let chapter: Chapter;
  beforeEach(async () => {
    chapter = await makeChapter();
  });
  const listed = () => chapter.world.sessions.list(chapter.user.id);
  const logIn = (username: string, password: string, network = '192.0.2.0/24') =>
    chapter.useCases.logIn({ username, password, network });
  const authenticate = (token: string) => makeAuthenticate(chapter.world)(token, { requestId: 'r', network: 'n' });

  it('start with username, regardless of case, and password', async () => {
    const session = await logIn(' USER ', 'user-secret');
    expect(session).to.include({ expiresIn: 900, refreshExpiresIn: 1_209_600 });
    expect(await authenticate(session.accessToken)).to.deep.include({
      id: chapter.user.id,
      groups: ['User'],
      divisionId: chapter.north.id,
      origin: { requestId: 'r', network: 'n' },
    });
  });

  it('are included in the actor of their requests', async () => {
    const { accessToken } = await logIn('user', 'user-secret');
    const [session] = await listed();
    expect((await authenticate(accessToken)).sessionId).to.equal(session?.id);
  });

  it('store the user agent of the login, cut to 200 characters', async () => {
    const request = { username: 'user', password: 'user-secret', network: '192.0.2.0/24' };
    for (const userAgent of [undefined, null, 'x'.repeat(201)]) {
      await chapter.useCases.logIn(userAgent === undefined ? request : { ...request, userAgent });
      chapter.world.clock.advance(1);
    }
    expect((await listed()).map(({ userAgent }) => userAgent)).to.deep.equal(['x'.repeat(200), null, null]);
  });

  it('do not start for unknown, wrong, inactive or unset credentials, each at the cost of one hash', async () => {
    await chapter.admit('idle', ['User'], { isActive: false });
    await chapter.admit('blank', ['User'], { passwordHash: null });
    for (const [username, password] of [
      ['unknown', 'user-secret'],
      ['user', 'wrong'],
      ['idle', 'idle-secret'],
      ['blank', 'blank-secret'],
    ] as const) {
      chapter.world.hasher.work.count = 0;
      await refusal('invalid_credentials', () => logIn(username, password));
      expect(chapter.world.hasher.work.count).to.equal(1);
    }
  });

  it('do not start with a password that contains a NUL, at the cost of one hash', async () => {
    for (const password of ['user-secret\0', 'user-secret\0\0\0', 'user-secret\0x', '\0']) {
      chapter.world.hasher.work.count = 0;
      await refusal('invalid_credentials', () => logIn('user', password));
      expect(chapter.world.hasher.work.count).to.equal(1);
    }
  });

  it('start with an old password that contains other control characters', async () => {
    await chapter.admit('old', ['User'], { passwordHash: fakeHash('old\tsecret\n') });
    expect(await logIn('old', 'old\tsecret\n')).to.have.property('accessToken');
    await refusal('invalid_credentials', () => logIn('old', 'old secret'));
  });

  it('replace a weak hash when they start', async () => {
    await chapter.admit('old', ['User'], { passwordHash: weakFakeHash('old-secret') });
    expect(await logIn('old', 'old-secret')).to.have.property('accessToken');
    const renewed = (await chapter.world.credentials.findByUsername('old'))?.passwordHash ?? '';
    expect([passwordIn(renewed), chapter.world.hasher.isWeak(renewed)]).to.deep.equal(['old-secret', false]);
  });

  it('start for each concurrent login while a weak hash is replaced', async () => {
    await chapter.admit('old', ['User'], { passwordHash: weakFakeHash('old-secret') });
    const sessions = await Promise.all([1, 2, 3].map(() => logIn('old', 'old-secret')));
    expect(new Set(sessions.map(({ refreshToken }) => refreshToken)).size).to.equal(3);
  });

  it('start even if the queue is full for replacing a weak hash', async () => {
    await chapter.admit('old', ['User'], { passwordHash: weakFakeHash('old-secret') });
    chapter.world.hasher.hash = () => Promise.reject(unavailable());
    expect(await logIn('old', 'old-secret')).to.have.property('accessToken');
  });

  it('count no attempt while the hashing queue is full, so that a flood locks no one out', async () => {
    let full = true;
    chapter.world.hasher.requireCapacity = () => {
      if (full) throw unavailable();
    };
    for (let tries = 0; tries < 12; tries++) await refusal('unavailable', () => logIn('user', 'user-secret'));
    full = false;
    expect(await logIn('user', 'user-secret')).to.have.property('accessToken');
  });

  it('count no attempt that the hasher refuses, so that a flood from elsewhere locks no one out', async () => {
    const { hasher } = chapter.world;
    const verify = hasher.verify.bind(hasher);
    hasher.verify = () => Promise.reject(unavailable());
    for (let tries = 0; tries < 12; tries++) await refusal('unavailable', () => logIn('user', 'user-secret'));
    hasher.verify = verify;
    expect(await logIn('user', 'user-secret')).to.have.property('accessToken');
  });

  it('compute no hash for a client that disconnected, and count its attempts', async () => {
    const { hasher } = chapter.world;
    const leave = () =>
      chapter.useCases.logIn({ username: 'user', password: 'x', network: '192.0.2.0/24', isAbandoned: () => true });
    for (let tries = 0; tries < 10; tries++) await refusal('unavailable', leave);
    expect(hasher.work.count).to.equal(0);
    await refusal('rate_limited', () => logIn('user', 'user-secret'));
  });

  it('wait once: further hashes of the same login are continuations', async () => {
    const { hasher, sessions } = chapter.world;
    await chapter.admit('old', ['User'], { passwordHash: weakFakeHash('old-secret') });
    const start = sessions.start.bind(sessions);
    const outcomes = [false, true];
    sessions.start = async (...session) => (outcomes.shift() ? start(...session) : null);
    await logIn('old', 'old-secret');
    expect(hasher.continuations).to.deep.equal([false, true, true]);
  });

  it('are refused after ten failures from one network but not from another, and a success clears the failures', async () => {
    const fail = async (times: number) => {
      for (let i = 0; i < times; i++) await refusal('invalid_credentials', () => logIn('user', 'wrong'));
    };
    await fail(9);
    await logIn('user', 'user-secret');
    await fail(10);
    const refused = await refusal('rate_limited', () => logIn('user', 'user-secret'));
    expect(refused.retryAfter).to.be.greaterThan(0);
    expect(await logIn('user', 'user-secret', '198.51.100.0/24')).to.have.property('accessToken');
  });

  it('do not start if the password changed while it was checked', async () => {
    chapter.world.sessions.start = () => Promise.resolve(null);
    await refusal('invalid_credentials', () => logIn('user', 'user-secret'));
  });

  it('log every attempt with its outcome and user, and never the typed text', async () => {
    const { guest, lead, user, world } = chapter;
    const attempt = (username: string, password: string, requestId: string) =>
      chapter.useCases.logIn({ username, password, network: '192.0.2.0/24', requestId });
    await attempt('user', 'user-secret', 'r1');
    await refusal('invalid_credentials', () => attempt('user', 'wrong', 'r2'));
    await refusal('invalid_credentials', () => attempt('my password', 'x', 'r3'));
    await world.users.update(OPERATOR, lead.id, (locked) => ({
      user: { ...locked.user, isActive: false },
      endsSessions: true,
    }));
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

  it('continue with a new pair for each refresh token', async () => {
    const { refreshToken } = await logIn('user', 'user-secret');
    const next = await chapter.useCases.refreshSession(refreshToken);
    expect(next.refreshToken).not.to.equal(refreshToken);
    expect(await authenticate(next.accessToken)).to.include({ username: 'user' });
  });

  it('end 90 days after the login, with lifetimes to match', async () => {
    const DAY = 86_400;
    let { refreshToken } = await logIn('user', 'user-secret');
    for (let day = 10; day <= 80; day += 10) {
      chapter.world.clock.advance(10 * DAY);
      const next = await chapter.useCases.refreshSession(refreshToken);
      expect(next).to.include({ expiresIn: 900, refreshExpiresIn: Math.min(14 * DAY, (90 - day) * DAY) });
      refreshToken = next.refreshToken;
    }
    chapter.world.clock.advance(10 * DAY - 60);
    const last = await chapter.useCases.refreshSession(refreshToken);
    expect(last).to.include({ expiresIn: 60, refreshExpiresIn: 60 });
    chapter.world.clock.advance(60);
    await refusal('invalid_token', () => chapter.useCases.refreshSession(last.refreshToken));
    await refusal('invalid_token', () => authenticate(last.accessToken));
  });

  it('accept a consumed token for ten seconds, and end if it is used later', async () => {
    const { refreshToken, accessToken } = await logIn('user', 'user-secret');
    const next = await chapter.useCases.refreshSession(refreshToken);
    chapter.world.clock.advance(10);
    await chapter.useCases.refreshSession(refreshToken);
    chapter.world.clock.advance(0.001);
    await refusal('invalid_token', () => chapter.useCases.refreshSession(refreshToken));
    await refusal('invalid_token', () => chapter.useCases.refreshSession(next.refreshToken));
    await refusal('invalid_token', () => authenticate(accessToken));
  });

  it('end on request, for every kind of token', async () => {
    const { refreshToken, accessToken } = await logIn('user', 'user-secret');
    await chapter.useCases.endSession('no token at all');
    await chapter.useCases.endSession(refreshToken);
    await refusal('invalid_token', () => authenticate(accessToken));
    await refusal('invalid_token', () => chapter.useCases.refreshSession(refreshToken));
  });

  it('take only the user and session from the token', async () => {
    const { accessToken } = await logIn('user', 'user-secret');
    const { accessTokens } = chapter.world;
    const claims = {
      ...(await accessTokens.verify(accessToken)),
      username: 'lead',
      division_id: chapter.south.id,
      groups: ['Leader'] as const,
      is_staff: true,
      is_superuser: true,
    };
    const { token } = await accessTokens.issue(claims, '9999-12-31T23:59:59.999Z');
    expect(await authenticate(token)).to.deep.include({ groups: ['User'], isSuperuser: false });
    await refusal('invalid_token', () => authenticate('x'));
    expect(invalidToken()).to.have.property('code', 'invalid_token');
  });

  it('keep a hash that is as strong as a new one', async () => {
    const hashOf = async () => (await chapter.world.credentials.find(chapter.user.id))?.passwordHash;
    const before = await hashOf();
    await logIn('user', 'user-secret');
    expect([await hashOf(), chapter.world.hasher.work.count]).to.deep.equal([before, 1]);
  });

  it('rethrow a failure of the renewal that is no refusal', async () => {
    await chapter.admit('old', ['User'], { passwordHash: weakFakeHash('old-secret') });
    chapter.world.hasher.hash = () => Promise.reject(new RangeError('a fault of the hasher'));
    const error: unknown = await logIn('old', 'old-secret').catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(RangeError);
  });

  it('check a password at most three times while its hash is replaced', async () => {
    chapter.world.sessions.start = () => Promise.resolve(null);
    await refusal('invalid_credentials', () => logIn('user', 'user-secret'));
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
    await logIn('user', 'user-secret');
    expect(lookUps).to.equal(1);
    const verify = hasher.verify.bind(hasher);
    hasher.verify = async (...call) => {
      hasher.verify = verify;
      await users.update(OPERATOR, chapter.user.id, ({ user }) => ({
        user,
        passwordHash: fakeHash('user-secret', 99),
        endsSessions: true,
      }));
      return verify(...call);
    };
    expect(await logIn('user', 'user-secret')).to.have.property('accessToken');
    expect(lookUps).to.equal(3);
  });

  it('do not start with an unreadable password even if the stored hash is that of the empty text', async () => {
    await chapter.admit('empty', ['User'], { passwordHash: fakeHash('') });
    for (const refused of ['\0', 'x'.repeat(5000)]) {
      await refusal('invalid_credentials', () => logIn('empty', refused));
    }
  });
});
