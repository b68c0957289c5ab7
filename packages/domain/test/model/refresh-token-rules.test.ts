import { addSeconds } from '@chapter/domain/api';
import { forgottenBefore, judgeToken, type PresentedToken, type StoredToken } from '@chapter/domain/ports';
import { expect } from 'chai';

const NOW = '2026-11-22T12:00:00.000Z';
const stored: StoredToken = { expiresAt: addSeconds(NOW, 60), spentAt: null, issued: 0 };
const presented: PresentedToken = {
  token: stored,
  sessionEndsAt: addSeconds(NOW, 60),
  counted: null,
  isUserActive: true,
};
const judgeStored = (values: Partial<StoredToken>) =>
  judgeToken({ ...presented, token: { ...stored, ...values } }, NOW);
const ONE = { since: NOW, refreshes: 1 };
const NONE = { since: NOW, refreshes: 0 };

describe('A refresh token', () => {
  it('is accepted if it was not consumed, regardless of tokens issued for others', () => {
    expect(judgeStored({})).to.deep.equal(ONE);
    expect(judgeStored({ issued: 6 })).to.deep.equal(ONE);
  });

  it('is refused when it or its session ends', () => {
    const moment = addSeconds(NOW, 0.001);
    expect(judgeStored({ expiresAt: NOW })).to.equal('refused');
    expect(judgeToken({ ...presented, sessionEndsAt: NOW }, NOW)).to.equal('refused');
    const token = { ...stored, expiresAt: moment };
    expect(judgeToken({ ...presented, token, sessionEndsAt: moment }, NOW)).to.deep.equal(ONE);
  });

  it('is refused if its user is inactive', () => {
    expect(judgeToken({ ...presented, isUserActive: false }, NOW)).to.equal('refused');
  });

  it('is accepted for ten seconds after it was consumed, and reused afterwards', () => {
    expect(judgeStored({ issued: 1, spentAt: addSeconds(NOW, -10) })).to.deep.equal(NONE);
    expect(judgeStored({ issued: 1, spentAt: addSeconds(NOW, -10.001) })).to.equal('reused');
    expect(forgottenBefore(NOW)).to.equal(addSeconds(NOW, -10));
  });

  it('is accepted five more times, and reused the sixth time', () => {
    expect(judgeStored({ spentAt: NOW, issued: 5 })).to.deep.equal(NONE);
    expect(judgeStored({ spentAt: NOW, issued: 6 })).to.equal('reused');
  });

  it('is reused if it is no longer stored, or was consumed and then expired, unless the session has ended', () => {
    expect(judgeToken({ ...presented, token: null }, NOW)).to.equal('reused');
    expect(judgeStored({ spentAt: addSeconds(NOW, -60), expiresAt: NOW })).to.equal('reused');
    expect(judgeToken({ ...presented, token: null, sessionEndsAt: NOW }, NOW)).to.equal('refused');
  });
});

describe('The refreshes of a session', () => {
  const judgeCounted = (since: string, refreshes: number, spentAt: string | null = null) =>
    judgeToken({ ...presented, token: { ...stored, spentAt }, counted: { since, refreshes } }, NOW);

  it('are counted for an hour', () => {
    const since = addSeconds(NOW, -3599.999);
    expect(judgeCounted(since, 1)).to.deep.equal({ since, refreshes: 2 });
    expect(judgeCounted(addSeconds(NOW, -3600), 60)).to.deep.equal(ONE);
  });

  it('are limited to sixty, and the refusal says when the hour ends', () => {
    const since = addSeconds(NOW, -600.5);
    expect(judgeCounted(since, 59)).to.deep.equal({ since, refreshes: 60 });
    expect(() => judgeCounted(since, 60))
      .to.throw('too many refreshes of this session; try again later')
      .that.includes({ code: 'rate_limited', retryAfter: 3000 });
  });

  it('do not include repeats', () => {
    expect(judgeCounted(NOW, 60, NOW)).to.deep.equal({ since: NOW, refreshes: 60 });
  });
});
