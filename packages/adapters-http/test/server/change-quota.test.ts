import { DomainError } from '@chapter/domain';
import { expect } from 'chai';
import { makeChangeQuota } from '../../src/server/request-limits.ts';
import { makeServedChapter, useServedChapter } from '../support/chapter.ts';

const HOUR_MS = 3_600_000;

describe('The quota of changes', () => {
  const secondsToWait = (change: () => void): number => {
    try {
      change();
      return 0;
    } catch (error) {
      expect(error).to.be.instanceOf(DomainError).and.have.property('code', 'rate_limited');
      return (error as DomainError).retryAfter ?? -1;
    }
  };

  it('is that of one caller for an hour, which begins with the first change', () => {
    let now = 1;
    const count = makeChangeQuota(2, () => now);
    count('ada');
    now += HOUR_MS / 2;
    count('ada');
    expect(secondsToWait(() => count('ada'))).to.equal(1800);
    count('eve');
    now += HOUR_MS / 2;
    expect(secondsToWait(() => count('ada'))).to.be.at.most(1);
    now += 1000;
    count('ada');
    count('ada');
    expect(secondsToWait(() => count('ada'))).to.equal(3600);
  });

  it('does not exist if it is 0', () => {
    const count = makeChangeQuota(0);
    for (let at = 0; at < 10; at++) count('ada');
  });

  it('counts at most 10,000 callers at once', () => {
    const count = makeChangeQuota(1);
    count('ada');
    for (let at = 0; at < 9999; at++) count(`caller ${at}`);
    expect(secondsToWait(() => count('ada'))).to.be.greaterThan(0);
    for (let at = 0; at < 10_000; at++) count(`other ${at}`);
    count('ada');
  });

  describe('of the API', () => {
    const chapter = useServedChapter({ serve: () => makeServedChapter({ changesPerHour: 2 }) });

    it('counts changes and exports of a caller, and refuses further ones with 429', async () => {
      const { leader, user, guest } = chapter;
      const rename = (as: typeof leader) =>
        chapter.send('PATCH', `/api/users/${leader.id}`, { as, json: { first_name: 'Ada' } });
      const csv = (method: string) =>
        chapter.send(method, '/api/users/', { as: leader, headers: { accept: 'text/csv' } });
      for (const method of ['HEAD', 'GET', 'HEAD']) expect((await csv(method)).status).to.equal(200);
      expect((await rename(leader)).status).to.equal(200);
      const { status, headers, body } = await rename(leader);
      expect([status, body.code, body.detail]).to.deep.equal([
        429,
        'rate_limited',
        'you may make at most 2 changes per hour; continue later',
      ]);
      expect(Number(headers['retry-after'])).to.be.within(1, 3600);
      expect((await csv('GET')).status).to.equal(429);
      expect((await chapter.get('/api/users/', leader)).status).to.equal(200);
      expect([(await rename(user)).status, (await rename(guest)).status]).to.deep.equal([404, 403]);
    });
  });
});
