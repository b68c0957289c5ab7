import { invalidToken } from '@chapter/domain/ports';
import { expect } from 'chai';
import { refusal, useChapter } from './setup.ts';

describe('Sessions', () => {
  const chapter = useChapter();
  const listed = () => chapter.world.sessions.list(chapter.user.id);

  it('are included in the actor of their requests', async () => {
    const { accessToken } = await chapter.logIn('user', 'user-secret');
    const [session] = await listed();
    expect((await chapter.authenticate(accessToken)).sessionId).to.equal(session?.id);
  });

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

  it('take only the user and session from the token', async () => {
    const { accessToken } = await chapter.logIn('user', 'user-secret');
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
    expect(await chapter.authenticate(token)).to.deep.include({ groups: ['User'], isSuperuser: false });
    await refusal('invalid_token', () => chapter.authenticate('x'));
    expect(invalidToken()).to.have.property('code', 'invalid_token');
  });
});
