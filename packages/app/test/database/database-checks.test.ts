import { unavailable } from '@chapter/domain/ports';
import { expect } from 'chai';
import { DATABASE_CHECKS } from '../../src/database/database-checks.ts';

describe('The checks of a database', () => {
  it('compare what it says with limits', async () => {
    const oldest = { pid: 7, applicationName: 'pg_dump', seconds: 600 };
    const largest = { divisionId: 'D', users: 100_001 };
    const replica = { isStandby: true, secondsBehind: 30 };
    const full = { usable: 97, free: 9 };
    for (const [check, wrong, message, good] of [
      ['clock', { clockDifferenceMs: -5001 }, /differ by 5\.0 s; sync/, { clockDifferenceMs: 5000 }],
      ['locks', { blockers: [{ pid: 7 }] }, /wait for locks of .* process 7; see/, { blockers: [] }],
      ['hosts', { hosts: ['db1: it left its cluster'] }, /^the host db1: it left its cluster; let it/, { hosts: [] }],
      ['connections', { connections: full }, /^only 9 of the server's 97/, { connections: { ...full, free: 10 } }],
      ['transactions', { oldest }, /7 \(pg_dump\) .* 10 minutes/, { oldest: { ...oldest, seconds: 599 } }],
      ['lists', { largest }, /about 100,001 users; divide/, { largest: { ...largest, users: 100_000 } }],
      ['replicas', { ...replica, secondsBehind: 31 }, /^the replica at db2\S* is 31 seconds behind/, replica],
      ['replicas', { ...replica, isStandby: false }, /^the replica at db2\S* is not a standby; check/, replica],
      ['replicas', { error: unavailable() }, /cannot be used: it does not respond/, replica],
      ['replicas', { error: new Error('no table') }, /cannot be used: its tables cannot be read/, replica],
    ] as const) {
      const ask = (says: object) => {
        const diagnosis = {
          load: () => Promise.resolve(says),
          replicas: () => Promise.resolve([{ url: 'postgresql://db2/chapter', ...says }]),
        };
        const refusedHosts = () => ('hosts' in says ? says.hosts : []);
        return DATABASE_CHECKS[check]?.({ health: () => Promise.resolve(says), refusedHosts, diagnosis } as never);
      };
      const messages = await ask(wrong);
      expect(messages, check).to.have.length(1);
      expect(messages?.[0]).to.match(message);
      expect(await ask(good), check).to.deep.equal([]);
    }
  });
});
