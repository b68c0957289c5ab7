import type { Blocker, DatabaseHealth } from '@chapter/domain/api';
import { expect } from 'chai';
import { makeReadiness } from '../../src/ops/readiness.ts';

const HEALTHY: DatabaseHealth = { reads: true, writes: true, blockers: [], clockDifferenceMs: 0 };

describe('The check of the database for /readyz', () => {
  let checks: PromiseWithResolvers<DatabaseHealth>[];
  let milliseconds: number;
  let isStopping: boolean;
  let logged: object[];
  let refusedHosts: readonly string[];
  let readiness: ReturnType<typeof makeReadiness>;
  beforeEach(() => {
    checks = [];
    milliseconds = 0;
    const checkDatabase = (): Promise<DatabaseHealth> => {
      const check = Promise.withResolvers<DatabaseHealth>();
      checks.push(check);
      return check.promise;
    };
    isStopping = false;
    logged = [];
    refusedHosts = [];
    const log = { warn: (fields: object) => void logged.push(fields) };
    const ports = { isStopping: () => isStopping, areWorkersReady: () => true, refusedHosts: () => refusedHosts };
    readiness = makeReadiness({ ...ports, checkDatabase, log }, () => milliseconds);
  });
  /** Returns whether the service is ready after the next check returns this health. */
  const checkEnding = async (health: DatabaseHealth): Promise<boolean> => {
    const response = readiness();
    checks.at(-1)?.resolve(health);
    return (await response).isReady;
  };

  it('is shared by all requests while it runs', async () => {
    const responses = [readiness(), readiness(), readiness()];
    expect(checks).to.have.lengthOf(1);
    checks[0]?.resolve(HEALTHY);
    for (const response of responses) expect((await response).isReady).to.equal(true);
  });

  it('is not awaited during the shutdown', async () => {
    isStopping = true;
    expect((await readiness()).isReady).to.equal(false);
    expect(checks).to.deep.equal([]);
  });

  it('runs again after a second', async () => {
    await checkEnding(HEALTHY);
    milliseconds = 999;
    expect((await readiness()).isReady).to.equal(true);
    expect(checks).to.have.lengthOf(1);
    milliseconds = 1000;
    expect(await checkEnding({ ...HEALTHY, reads: false })).to.equal(false);
    expect(checks).to.have.lengthOf(2);
  });

  it('logs each process that requests wait for at most once a minute', async () => {
    const [one, other] = [4711, 4712].map(
      (pid): Blocker => ({ pid, applicationName: '', state: null, transactionSeconds: null, waitSeconds: 2 }),
    );
    const logAt = async (ms: number, ...blockers: readonly (Blocker | undefined)[]): Promise<object[]> => {
      milliseconds = ms;
      await checkEnding({ ...HEALTHY, blockers: blockers.filter((blocker) => blocker !== undefined) });
      return logged.splice(0);
    };
    expect(await logAt(0, one)).to.deep.equal([{ blocker: one }]);
    expect(await logAt(1000)).to.deep.equal([]);
    expect(await logAt(30_000, one, other)).to.deep.equal([{ blocker: other }]);
    expect(await logAt(59_999, one)).to.deep.equal([]);
    expect(await logAt(61_000, one, other)).to.deep.equal([{ blocker: one }]);
  });

  it('reports and logs each host that is not used, also while none can be used', async () => {
    const first = readiness();
    checks[0]?.resolve({ ...HEALTHY, reads: false });
    expect((await first).body.hosts).to.equal('ok');
    refusedHosts = ['db1: it left its cluster', 'db2: it belongs to another cluster'];
    const failing = readiness();
    checks[1]?.reject(new Error('no host can be used'));
    const { body, isReady } = await failing;
    expect(isReady).to.equal(false);
    expect(body.hosts).to.equal('db1: it left its cluster; db2: it belongs to another cluster');
    await checkEnding(HEALTHY);
    expect(logged).to.deep.equal(refusedHosts.map((host) => ({ host })));
  });

  it('runs again at once if the database was unusable', async () => {
    expect(await checkEnding({ ...HEALTHY, reads: false })).to.equal(false);
    expect(await checkEnding(HEALTHY)).to.equal(true);
    expect(checks).to.have.lengthOf(2);
  });

  it('runs again after a check that fails or does not end', async () => {
    const failed = readiness();
    checks[0]?.reject(new Error('connection refused'));
    expect((await failed).isReady).to.equal(false);
    expect((await readiness()).body).to.include({ reads: false, clock: 'unknown' });
    expect(checks).to.have.lengthOf(2);
    expect(await checkEnding(HEALTHY)).to.equal(true);
  });
});
