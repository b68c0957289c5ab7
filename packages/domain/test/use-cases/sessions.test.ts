import { expect } from 'chai';
import { acting, type Chapter, refusal, unasked, useChapter } from './setup.ts';

describe('Sessions', () => {
  const chapter = useChapter();

  it('end 90 days after the login, with lifetimes to match', async () => {
    const DAY = 86_400;
    let { refreshToken } = await chapter.logIn('user', 'user-secret');
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
    await refusal('invalid_token', () => chapter.authenticate(last.accessToken));
  });

  it('end on request, for every kind of token', async () => {
    const { refreshToken, accessToken } = await chapter.logIn('user', 'user-secret');
    await chapter.useCases.endSession('no token at all');
    await chapter.useCases.endSession(refreshToken);
    await refusal('invalid_token', () => chapter.authenticate(accessToken));
    await refusal('invalid_token', () => chapter.useCases.refreshSession(refreshToken));
  });

  it('accept an access token only for access, and a refresh token only for refreshing', async () => {
    const { refreshToken, accessToken } = await chapter.logIn('user', 'user-secret');
    await refusal('invalid_token', () => chapter.authenticate(refreshToken));
    await refusal('invalid_token', () => chapter.useCases.refreshSession(accessToken));
  });
});

describe('Own sessions', () => {
  const chapter = useChapter();

  const logIn = async (username: string, userAgent: string | null = null) => {
    const { useCases, world } = chapter;
    const login = { username, password: `${username}-secret`, network: '192.0.2.0/24', userAgent };
    const { accessToken, refreshToken } = await useCases.logIn(login);
    const { sid } = await world.accessTokens.verify(accessToken);
    world.clock.advance(1);
    return { sid, refreshToken };
  };
  const idsOf = async (caller: Chapter['user'], sessionId?: string) =>
    (await chapter.useCases.listOwnSessions({ ...acting(caller), ...(sessionId && { sessionId }) })).map(
      ({ id }) => id,
    );

  it('are listed newest first, and the one of the request is marked', async () => {
    const { useCases, user, world } = chapter;
    const begun = world.clock.now();
    const old = await logIn('user', 'Mozilla/5.0');
    const current = await logIn('user');
    await logIn('lead');
    await useCases.refreshSession(old.refreshToken);
    const refreshedAt = world.clock.now();
    const listed = await useCases.listOwnSessions({ ...acting(user), sessionId: current.sid });
    expect(listed.map(({ id, isCurrent }) => [id, isCurrent])).to.deep.equal([
      [current.sid, true],
      [old.sid, false],
    ]);
    expect(listed[1]).to.include({ createdAt: begun, refreshedAt, userAgent: 'Mozilla/5.0' });
  });

  it('end one by one, the current one included, with their refresh tokens', async () => {
    const { useCases, user } = chapter;
    const [old, current] = [await logIn('user'), await logIn('user')];
    const caller = { ...acting(user), sessionId: current.sid };
    for (const { sid, refreshToken } of [old, current]) {
      await useCases.endOwnSession(caller, sid, () => {});
      await refusal('invalid_token', () => useCases.refreshSession(refreshToken));
    }
    expect(await idsOf(user)).to.deep.equal([]);
  });

  it('hide those of other users, those that have ended, and what is no id, before the input is read', async () => {
    const { useCases, user, lead } = chapter;
    const [own, others] = [await logIn('user'), await logIn('lead')];
    await useCases.endOwnSession(acting(user), own.sid, () => {});
    // An active session of the caller does not make other ids known.
    await logIn('user');
    for (const id of [others.sid, own.sid, 'no-uuid']) {
      await refusal('not_found', () => useCases.endOwnSession(acting(user), id, unasked));
    }
    expect(await idsOf(lead)).to.deep.equal([others.sid]);
  });

  it('do not end when the input is refused, and are not found when they end meanwhile', async () => {
    const { useCases, user, world } = chapter;
    const { sid } = await logIn('user');
    const refused = useCases.endOwnSession(acting(user), sid, () => Promise.reject(new RangeError('refused')));
    expect(await refused.catch((error: unknown) => error)).to.be.instanceOf(RangeError);
    expect(await idsOf(user)).to.deep.equal([sid]);
    const endMeanwhile = async () => void (await world.sessions.endOne(sid, user.id));
    await refusal('not_found', () => useCases.endOwnSession(acting(user), sid, endMeanwhile));
  });

  it('leave no entry in the audit trail when their user ends them', async () => {
    const { useCases, user, world } = chapter;
    const { sid } = await logIn('user');
    const before = await world.audit.list({ limit: 100 });
    await useCases.endOwnSession(acting(user), sid, () => {});
    expect(await world.audit.list({ limit: 100 })).to.deep.equal(before);
  });
});
