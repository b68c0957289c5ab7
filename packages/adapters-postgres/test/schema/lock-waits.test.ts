import { notFound } from '@chapter/domain/ports';
import { expect } from 'chai';
import { acquireTimeoutOf } from '../../src/connection/options.ts';
import { LOCK_WAITS, repeatWhileLocked, waitLimitOf } from '../../src/schema/lock-waits.ts';

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Runs work that fails with the given errors, one for each attempt, and then succeeds. */
const run = async (errors: readonly Error[], attempts: number) => {
  const left = [...errors];
  const events: string[] = [];
  const pause = async () => void events.push('pause');
  const report = () => void events.push('report');
  const attempt = async (): Promise<string> => {
    const error = left.shift();
    if (error) throw error;
    return 'done';
  };
  const outcome = await repeatWhileLocked(attempt, '0099-example', attempts, pause, report).catch(
    (error: unknown) => error,
  );
  return { outcome, events };
};

describe('repeatWhileLocked', () => {
  it('repeats after a lock timeout and after a deadlock, with a pause before each repetition', async () => {
    const { outcome, events } = await run([failure('55P03'), failure('40P01')], 3);
    expect(outcome).to.equal('done');
    expect(events.filter((event) => event === 'pause')).to.have.length(2);
  });

  it('reports the wait once, before the first pause', async () => {
    expect((await run([failure('55P03'), failure('55P03')], 3)).events).to.deep.equal(['report', 'pause', 'pause']);
  });

  it('reports no wait if the first attempt succeeds', async () => {
    expect(await run([], 3)).to.deep.equal({ outcome: 'done', events: [] });
  });

  it('passes other errors on at once', async () => {
    for (const error of [failure('42P07'), notFound()]) {
      expect(await run([error], 3)).to.deep.equal({ outcome: error, events: [] });
    }
  });
});

describe('LOCK_WAITS', () => {
  it('are 60 attempts of 2 seconds, with pauses of 8 seconds: 10 minutes in all', () => {
    expect(LOCK_WAITS).to.deep.include({ timeoutMs: 2000, attempts: 60, pauseMs: 8000 });
    expect(waitLimitOf(LOCK_WAITS)).to.equal(10 * 60_000);
  });

  it('are shorter than the time that a request waits for a connection', () => {
    expect(LOCK_WAITS.timeoutMs).to.be.below(acquireTimeoutOf({ url: 'postgresql://localhost/chapter' }));
  });
});
