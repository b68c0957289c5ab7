import type { DatabaseHealth } from '@chapter/domain';
import { expect } from 'chai';
import { makeReadiness } from '../../src/ops/readiness.ts';

const HEALTHY: DatabaseHealth = { reads: true, writes: true, clockDifferenceMs: 0 };

describe('The check of the database for /readyz', () => {
  let checks: PromiseWithResolvers<DatabaseHealth>[];
  let milliseconds: number;
  let isStopping: boolean;
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
    const ports = { isStopping: () => isStopping, checkDatabase, areWorkersReady: () => true };
    readiness = makeReadiness(ports, () => milliseconds);
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
