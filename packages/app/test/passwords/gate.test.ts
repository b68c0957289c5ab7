import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { DomainError } from '@chapter/domain';
import { expect } from 'chai';
import { type Gate, MAX_QUEUE_MS, makeGate } from '../../src/passwords/gate.ts';

interface Work {
  readonly done: Promise<void>;
  readonly finish: () => void;
  readonly fail: (error: Error) => void;
}

describe('The gate', () => {
  const work = (gate: Gate, name: string, begun: string[], request = {}): Work => {
    const { promise, reject, resolve } = Promise.withResolvers<void>();
    const done = gate(() => {
      begun.push(name);
      return promise;
    }, request);
    return { done, finish: resolve, fail: reject };
  };
  const expectRefused = async (call: Promise<unknown>): Promise<void> => {
    const refused = await call.catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(DomainError).and.include({ code: 'unavailable', retryAfter: 1 });
  };

  it('runs a limited number of calls at once, and the others in the order of their arrival', async () => {
    const gate = makeGate({ maxRunning: 2, maxWaiting: 5 });
    const begun: string[] = [];
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => work(gate, name, begun));
    expect(begun).to.deep.equal(['a', 'b']);
    b?.finish();
    await turn();
    expect(begun).to.deep.equal(['a', 'b', 'c']);
    a?.finish();
    await turn();
    const e = work(gate, 'e', begun);
    expect(begun).to.deep.equal(['a', 'b', 'c', 'd']);
    c?.finish();
    d?.finish();
    e.finish();
    for (const one of [a, b, c, d, e]) await one?.done;
    expect(begun.at(-1)).to.equal('e');
  });

  it('refuses a call at once when the queue is full', async () => {
    const gate = makeGate({ maxRunning: 1, maxWaiting: 1 });
    const [a, b] = [work(gate, 'a', []), work(gate, 'b', [])];
    expect(gate.isFull()).to.equal(true);
    await expectRefused(gate(() => Promise.resolve('never')));
    a.finish();
    b.finish();
    await Promise.all([a.done, b.done]);
    expect(await gate(() => Promise.resolve('again'))).to.equal('again');
  });

  it('starts the next call when one fails', async () => {
    const gate = makeGate({ maxRunning: 1, maxWaiting: 1 });
    const failing = work(gate, 'a', []);
    const next = gate(() => Promise.resolve('next'));
    failing.fail(new Error('broken'));
    expect(await failing.done.catch(String)).to.equal('Error: broken');
    expect(await next).to.equal('next');
  });

  it('runs a continuation before other waiting calls, even when the queue is full', async () => {
    const gate = makeGate({ maxRunning: 1, maxWaiting: 1 });
    const begun: string[] = [];
    const calls = [work(gate, 'a', begun), work(gate, 'b', begun)];
    calls.push(work(gate, 'c', begun, { isContinuation: true }), work(gate, 'd', begun, { isContinuation: true }));
    for (const { finish } of calls) finish();
    await Promise.all(calls.map(({ done }) => done));
    expect(begun).to.deep.equal(['a', 'c', 'd', 'b']);
  });

  it('skips a waiting call whose client disconnects, and runs the next one', async () => {
    const gate = makeGate({ maxRunning: 1, maxWaiting: 3 });
    const begun: string[] = [];
    let isGone = false;
    const running = work(gate, 'running', begun);
    const gone = [1, 2].map((n) => work(gate, `gone ${n}`, begun, { isAbandoned: () => isGone }));
    const here = work(gate, 'here', begun, { isAbandoned: () => false });
    isGone = true;
    running.finish();
    for (const { done } of gone) await expectRefused(done);
    here.finish();
    await here.done;
    expect(begun).to.deep.equal(['running', 'here']);
  });

  describe('whose queue does not move', () => {
    beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
    afterEach(() => mock.timers.reset());

    it('refuses all of a hundred waiting calls after three seconds, so that a stop does not wait longer', async () => {
      const gate = makeGate({ maxRunning: 2, maxWaiting: 100 });
      const begun: string[] = [];
      const running = [work(gate, 'a', begun), work(gate, 'b', begun)];
      const waiting = Array.from({ length: 100 }, () => work(gate, 'late', begun));
      const continuation = work(gate, 'late', begun, { isContinuation: true });
      const refused = Promise.all([...waiting, continuation].map(({ done }) => expectRefused(done)));
      expect([MAX_QUEUE_MS, gate.isFull()]).to.deep.equal([3000, true]);
      mock.timers.tick(MAX_QUEUE_MS - 1);
      expect(gate.isFull()).to.equal(true);
      mock.timers.tick(1);
      await refused;
      expect(gate.isFull()).to.equal(false);
      for (const { finish, done } of running) {
        finish();
        await done;
      }
      expect(begun).to.deep.equal(['a', 'b']);
    });

    it('refuses only calls that have waited three seconds and have not started', async () => {
      const gate = makeGate({ maxRunning: 1, maxWaiting: 5 });
      const begun: string[] = [];
      const [a, b, c] = ['a', 'b', 'c'].map((name) => work(gate, name, begun)) as [Work, Work, Work];
      mock.timers.tick(2000);
      a.finish();
      await turn();
      const d = work(gate, 'd', begun);
      mock.timers.tick(1000);
      await expectRefused(c.done);
      b.finish();
      d.finish();
      await Promise.all([b.done, d.done]);
      expect(begun).to.deep.equal(['a', 'b', 'd']);
    });
  });

  it('refuses a call at once when recent durations predict too long a wait', async () => {
    let time = 0;
    const gate = makeGate({ maxRunning: 2, maxWaiting: 100, now: () => time });
    const runFor = (milliseconds: number) =>
      gate(async () => {
        time += milliseconds;
      });
    for (const milliseconds of [60_000, 1000, 1100, 1200]) await runFor(milliseconds);
    const calls = Array.from({ length: 2 + 6 }, () => work(gate, 'slow', []));
    expect(gate.isFull()).to.equal(false);
    calls.push(work(gate, 'slow', []));
    expect(gate.isFull()).to.equal(true);
    await expectRefused(gate(() => Promise.resolve('never')));
    for (const { finish } of calls) finish();
    await Promise.all(calls.map(({ done }) => done));
    expect(gate.isFull()).to.equal(false);
  });

  it('ignores one stall of the machine when it predicts durations', async () => {
    let time = 0;
    const gate = makeGate({ maxRunning: 1, maxWaiting: 100, now: () => time });
    for (const milliseconds of [50, 50, 50, 60_000]) {
      await gate(async () => {
        time += milliseconds;
      });
    }
    const calls = Array.from({ length: 1 + 60 }, () => work(gate, 'fast', []));
    expect(gate.isFull()).to.equal(false);
    for (const { finish } of calls) finish();
    await Promise.all(calls.map(({ done }) => done));
  });
});
