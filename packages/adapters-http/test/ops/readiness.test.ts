import { expect } from 'chai';
import { type DatabaseHealth, makeReadiness } from '../../src/ops/readiness.ts';

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
  /** Whether the service is ready, with the next check ending like this. */
  const checkEnding = async (health: DatabaseHealth): Promise<boolean> => {
    const answer = readiness();
    checks.at(-1)?.resolve(health);
    return (await answer).isReady;
  };

  it('is shared by all who ask while it runs', async () => {
    const answers = [readiness(), readiness(), readiness()];
    expect(checks).to.have.lengthOf(1);
    checks[0]?.resolve(HEALTHY);
    for (const answer of answers) expect((await answer).isReady).to.equal(true);
  });

  it('is not waited for during the shutdown', async () => {
    isStopping = true;
    expect((await readiness()).isReady).to.equal(false);
    expect(checks).to.deep.equal([]);
  });

  it('is made again after a second', async () => {
    await checkEnding(HEALTHY);
    milliseconds = 999;
    expect((await readiness()).isReady).to.equal(true);
    expect(checks).to.have.lengthOf(1);
    milliseconds = 1000;
    expect(await checkEnding({ ...HEALTHY, reads: false })).to.equal(false);
    expect(checks).to.have.lengthOf(2);
  });

  it('is made again at once where the database could not be used', async () => {
    expect(await checkEnding({ ...HEALTHY, reads: false })).to.equal(false);
    expect(await checkEnding(HEALTHY)).to.equal(true);
    expect(checks).to.have.lengthOf(2);
  });

  it('is made again after one that fails or does not end', async () => {
    const failed = readiness();
    checks[0]?.reject(new Error('connection refused'));
    expect((await failed).isReady).to.equal(false);
    expect((await readiness()).body).to.include({ reads: false, clock: 'unknown' });
    expect(checks).to.have.lengthOf(2);
    expect(await checkEnding(HEALTHY)).to.equal(true);
  });
});
