import { setImmediate as tick } from 'node:timers/promises';
import { DomainError, MAX_WAIT_MS } from '@chapter/domain/ports';
import { expect } from 'chai';
import { makeQueue, refusalOf, times } from './a-queue.ts';

describe('A fair queue', () => {
  describe('divides the waiting places', () => {
    it('among the callers who wait, and refuses one beyond its share at once', async () => {
      const { call, queue, finish } = makeQueue({ maxWaiting: 4 });
      const calls = [call('first'), ...times(4, () => call('a'))];
      expect(() => queue.requireRoom(['a']))
        .to.throw(DomainError, 'too many requests at once; wait for the responses to the earlier ones')
        .with.property('code', 'rate_limited');
      expect(await refusalOf(call('a'))).to.equal('rate_limited 1');
      calls.push(call('b'), call('b'));
      expect(await refusalOf(call('b'))).to.equal('rate_limited 1');
      expect(queue.use()).to.deep.equal({ running: 1, waiting: 6 });
      await finish(calls);
      queue.requireRoom(['a']);
    });

    it('so that each new caller gets one, unless as many new callers precede it', async () => {
      const { call, queue, serve } = makeQueue({ maxWaiting: 2 });
      const calls = [call('first'), call('a'), call('b')];
      expect(() => queue.requireRoom(['c']))
        .to.throw(DomainError)
        .with.property('code', 'unavailable');
      expect(await refusalOf(call('c'))).to.equal('unavailable 1');
      expect(await serve(1)).to.deep.equal(['a']);
      // The next call of `a` does not precede the new one, because `a` has just been served.
      calls.push(call('a'), call('c'));
      expect(await serve()).to.deep.equal(['b', 'c', 'a']);
      await Promise.all(calls);
    });

    it('among the groups first, so that members of one group share the places of the group', async () => {
      const { call, finish } = makeQueue({ maxWaiting: 4 });
      const calls = [call(['x', 'first']), call(['creations', 'leader']), call(['creations', 'leader'])];
      calls.push(call(['logins', 'ada']), call(['logins', 'ada']));
      expect(await refusalOf(call(['logins', 'ada']))).to.equal('rate_limited 1');
      calls.push(call(['logins', 'bea']));
      expect(await refusalOf(call(['creations', 'leader']))).to.equal('rate_limited 1');
      await finish(calls);
    });

    it('so that no new caller waits in vain, judging by recent durations', async () => {
      const { call, queue, serve, timers, finish } = makeQueue({ maxRunning: 2 });
      const runFor = (milliseconds: number) => queue.run(['a'], async () => timers.advance(milliseconds));
      for (const milliseconds of [60_000, 1000, 1100, 1200]) await runFor(milliseconds);
      const calls = times(2 + 6, (at) => call(`caller ${at}`));
      expect(await refusalOf(call('new'))).to.equal('unavailable 1');
      await serve();
      // The calls of one caller do not count: they take turns with those of others.
      calls.push(...times(2 + 3, () => call('busy')), call('new'));
      await finish(calls);
    });

    it('so that few calls of one caller wait in vain, of which one is refused at once every 10 ms', async () => {
      const { call, queue, finish, timers } = makeQueue();
      for (let runs = 0; runs < 4; runs++) await queue.run(['a'], async () => timers.advance(MAX_WAIT_MS / 6));
      const calls = times(1 + 3, () => call('a'));
      expect(await refusalOf(call('a'))).to.equal('rate_limited 1');
      timers.advance(9);
      calls.push(call('a'));
      timers.advance(1);
      expect(await refusalOf(call('a'))).to.equal('rate_limited 1');
      calls.push(call('a'), call('b'), call('b'));
      expect(await refusalOf(call('b'))).to.equal('rate_limited 1');
      await finish(calls);
    });

    it('nor a new member of a group, which has its share of the turns', async () => {
      const { call, queue, finish, timers } = makeQueue();
      for (let runs = 0; runs < 4; runs++) await queue.run(['x'], async () => timers.advance(MAX_WAIT_MS / 3));
      const calls = [call(['x', 'first']), call(['a', 'one']), call(['b', 'one']), call(['a', 'two'])];
      expect(await refusalOf(call(['a', 'three']))).to.equal('unavailable 1');
      await finish(calls);
    });

    it('regardless of one stall of the machine', async () => {
      const { call, queue, finish, timers } = makeQueue();
      for (const milliseconds of [50, 50, 50, 60_000]) {
        await queue.run(['a'], async () => timers.advance(milliseconds));
      }
      const calls = times(1 + 60, (at) => call(`caller ${at}`));
      expect(await refusalOf(call('new'))).to.equal('unavailable 1');
      await finish(calls);
    });
  });

  describe('whose call pauses', () => {
    it('gives its place to others, and continues before new calls of its caller', async () => {
      const { queue, call, serve, begun } = makeQueue();
      const { promise: body, resolve: receive } = Promise.withResolvers<string>();
      const paused = queue.run(['a'], async (pause) => {
        begun.push(`begins with ${await pause(() => body)}`);
      });
      const calls = [call('a', {}, 'next'), call('a', {}, 'later')];
      expect(begun).to.deep.equal(['next']);
      receive('body');
      await tick();
      expect(await serve()).to.deep.equal(['begins with body', 'later']);
      await Promise.all([paused, ...calls]);
      expect(queue.use()).to.deep.equal({ running: 0, waiting: 0 });
    });

    it('holds no place when it fails, or when its turn does not come again', async () => {
      const { queue, call, serve, timers, finish } = makeQueue();
      let busy: Promise<void> | undefined;
      const failing = queue.run(['a'], (pause) =>
        pause(() => {
          // Takes the only place, without which the failed call must not wait.
          busy = call('busy');
          return Promise.reject(new Error('broken'));
        }),
      );
      expect(await failing.catch(String)).to.equal('Error: broken');
      await serve();
      await busy;
      const late = refusalOf(queue.run(['a'], (pause) => pause(tick)));
      const other = call('b');
      await tick();
      await tick();
      timers.advance(MAX_WAIT_MS);
      expect(await late).to.equal('unavailable 1');
      await finish([other]);
      expect(queue.use()).to.deep.equal({ running: 0, waiting: 0 });
    });

    it('waits for its turn in another queue', async () => {
      const [requests, hashes] = [makeQueue(), makeQueue()];
      const calls = [hashes.call('busy'), requests.queue.run(['a'], (pause) => hashes.call('hash', { pause }))];
      await tick();
      expect(hashes.begun).to.deep.equal(['busy']);
      expect(await hashes.serve()).to.deep.equal(['hash']);
      await Promise.all(calls);
    });

    it('gets no place any more if the call ends before it continues', async () => {
      const { queue, call, finish } = makeQueue();
      const body = Promise.withResolvers<void>();
      const late = [Promise.resolve(), tick()].map((work) => {
        const { promise, resolve } = Promise.withResolvers<unknown>();
        // The call ends while its work goes on.
        const ended = queue.run(['a'], async (pause) => resolve(refusalOf(pause(() => work.then(() => body.promise)))));
        return ended.then(() => promise);
      });
      const other = call('other');
      body.resolve();
      expect(await Promise.all(late)).to.deep.equal(['unavailable 1', 'unavailable 1']);
      await finish([other]);
      expect(queue.use()).to.deep.equal({ running: 0, waiting: 0 });
    });

    it('gives back a place that it gets after the call has ended', async () => {
      const { queue, call, finish } = makeQueue();
      const body = Promise.withResolvers<void>();
      const end = Promise.withResolvers<void>();
      let continued: Promise<unknown> | undefined;
      const ended = queue.run(['a'], (pause) => {
        continued = refusalOf(pause(() => body.promise));
        return end.promise;
      });
      const other = call('other');
      body.resolve();
      await tick();
      expect(queue.use()).to.deep.equal({ running: 1, waiting: 1 });
      end.resolve();
      await ended;
      await finish([other]);
      expect(await continued).to.equal('unavailable 1');
      expect(queue.use()).to.deep.equal({ running: 0, waiting: 0 });
    });

    it('pauses while it waits in another queue, and gives that place back if it cannot continue', async () => {
      const [requests, hashes] = [makeQueue(), makeQueue()];
      const hash = hashes.call('busy');
      const waiting = refusalOf(
        requests.queue.run(['a'], (pause) => hashes.queue.run(['a'], async () => {}, { pause })),
      );
      const other = requests.call('b');
      expect(requests.begun).to.deep.equal(['b']);
      await hashes.serve();
      await hash;
      requests.timers.advance(MAX_WAIT_MS);
      expect(await waiting).to.equal('unavailable 1');
      expect(hashes.queue.use()).to.deep.equal({ running: 0, waiting: 0 });
      await requests.serve();
      await other;
    });
  });
});
