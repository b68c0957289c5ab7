import { addSeconds, judgeToken, REFRESH_TOKEN_RULES } from '@chapter/domain';
import { expect } from 'chai';

const NOW = '2026-11-22T12:00:00.000Z';
const token = { expiresAt: addSeconds(NOW, 60), spentAt: null, issued: 0, sessionEndsAt: addSeconds(NOW, 60) };
const { graceSeconds, repeats } = REFRESH_TOKEN_RULES;

describe('A refresh token', () => {
  it('is accepted if it was not consumed, regardless of tokens issued for others', () => {
    expect(judgeToken(token, NOW)).to.equal('accepted');
    expect(judgeToken({ ...token, issued: repeats + 1 }, NOW)).to.equal('accepted');
  });

  it('has expired when it or its session ends', () => {
    expect(judgeToken({ ...token, expiresAt: NOW }, NOW)).to.equal('expired');
    expect(judgeToken({ ...token, sessionEndsAt: NOW }, NOW)).to.equal('expired');
    expect(
      judgeToken({ ...token, expiresAt: addSeconds(NOW, 0.001), sessionEndsAt: addSeconds(NOW, 0.001) }, NOW),
    ).to.equal('accepted');
  });

  it('is accepted for ten seconds after it was consumed, and reused afterwards', () => {
    const consumed = { ...token, issued: 1 };
    expect(judgeToken({ ...consumed, spentAt: addSeconds(NOW, -graceSeconds) }, NOW)).to.equal('accepted');
    expect(judgeToken({ ...consumed, spentAt: addSeconds(NOW, -graceSeconds - 0.001) }, NOW)).to.equal('reused');
  });

  it('is accepted five more times, and reused the sixth time', () => {
    expect(judgeToken({ ...token, spentAt: NOW, issued: repeats }, NOW)).to.equal('accepted');
    expect(judgeToken({ ...token, spentAt: NOW, issued: repeats + 1 }, NOW)).to.equal('reused');
  });
});
