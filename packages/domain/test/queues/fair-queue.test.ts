import { randomBytes } from 'node:crypto';
import { setImmediate as tick } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MAX_WAIT_MS, type Share } from '@chapter/domain/ports';
import { expect } from 'chai';
import { makeQueue, refusalOf, times } from './a-queue.ts';

describe('A fair queue', () => {
  it('runs a limited number of calls at once, and those of one caller in the order of their arrival', async () => {
    const { call, begun, serve } = makeQueue({ maxRunning: 2 });
    const calls = ['a', 'b', 'c', 'd', 'e'].map((name) => call('one', {}, name));
    expect(begun).to.deep.equal(['a', 'b']);
    expect(await serve(1)).to.deep.equal(['c']);
    expect(await serve()).to.deep.equal(['d', 'e']);
    await Promise.all(calls);
  });

  it('starts the next call when one fails', async () => {
    const { queue } = makeQueue();
    const failing = queue.run(['a'], () => tick().then(() => Promise.reject(new Error('broken'))));
    const next = queue.run(['a'], async () => 'next');
    expect(await failing.catch(String)).to.equal('Error: broken');
    expect(await next).to.equal('next');
  });

  describe('chooses among callers', () => {
    it('so that a new one is next, even if another has 200 waiting calls', async () => {
      const { call, serve, finish } = makeQueue({ maxWaiting: 1000 });
      const calls = times(201, () => call('busy'));
      calls.push(call('new'));
      expect(await serve(2)).to.deep.equal(['new', 'busy']);
      await finish(calls);
    });

    it('so that a new one precedes all that were served before, waiting or returning', async () => {
      const { call, serve } = makeQueue();
      const calls = ['a', 'b', 'c'].flatMap((name) => times(10, () => call(name)));
      await serve(10);
      calls.push(call('new'));
      expect((await serve(1))[0]).to.equal('new');
      // In turn, one that has no waiting call for a moment keeps its place in the order.
      const returning = makeQueue();
      const others = [returning.call('a'), returning.call('b')];
      await returning.serve(1);
      others.push(returning.call('a'), returning.call('new'));
      expect(await returning.serve(2)).to.deep.equal(['new', 'a']);
      for (const { serve: finish, waiting } of [
        { serve, waiting: calls },
        { serve: returning.serve, waiting: others },
      ]) {
        await finish();
        await Promise.all(waiting);
      }
    });

    it('so that all who wait get the same number of turns', async () => {
      const { call, serve, finish } = makeQueue({ maxRunning: 3 });
      const calls = ['a', 'b', 'c'].flatMap((name, at) => times(10 * (at + 1), () => call(name)));
      const served = await serve(21);
      for (const name of ['a', 'b', 'c']) {
        expect(served.filter((other) => other === name).length, name).to.be.within(6, 8);
      }
      await finish(calls);
    });

    it('so that a stream of new ones does not exclude one who waits', async () => {
      const { call, serve, finish } = makeQueue();
      const calls = [call('waiting'), call('waiting'), call('early'), call('earlier')];
      let turns = 0;
      for (let isServed = false; !isServed; turns++) {
        calls.push(call(`new ${turns}`));
        isServed = (await serve(1)).includes('waiting');
        expect(turns).to.be.below(20);
      }
      await finish(calls);
    });

    it('so that one who waits keeps their turn when they call again', async () => {
      const { call, queue, serve, finish } = makeQueue({ maxRunning: 2, maxPerKey: [1] });
      await Promise.all([call('c'), serve(1)]);
      const calls = [call('b')];
      for (let other = 0; other < 10; other++) await queue.run([`other ${other}`], async () => {});
      calls.push(call('b', {}, 'b waits'), call('d'), call('c'), call('b', {}, 'b waits again'));
      expect(await serve(1)).to.deep.equal(['b waits']);
      await finish(calls);
    });

    it('so that one who has just been served is not taken for a new one, however many were served before', async () => {
      const { call, queue, serve } = makeQueue();
      for (let other = 0; other < 65; other++) await queue.run([`${other}`], async () => {});
      const calls = ['running', 'new', '64', 'newer'].map((name) => call(name));
      expect(await serve()).to.deep.equal(['new', 'newer', '64']);
      await Promise.all(calls);
    });

    it('at each level: groups first, then the members of a group', async () => {
      const { call, serve, finish } = makeQueue();
      const calls = times(9, (at) => call(['logins', 'flood', `name ${at}`]));
      calls.push(...times(9, () => call(['creations', 'leader', 'leader'])));
      calls.push(call(['logins', 'home', 'member']));
      const served = await serve(4);
      expect(served).to.deep.equal([
        'creations leader leader',
        'logins home member',
        'creations leader leader',
        'logins flood name 1',
      ]);
      await finish(calls);
    });
  });

  describe('limits the running calls of a key', () => {
    it('at each level apart, and runs other calls meanwhile', async () => {
      const { call, begun, serve, finish } = makeQueue({ maxRunning: 8, maxPerKey: [2, 2] });
      const shares: Share[] = [
        ['ada', 'row'],
        ['bea', 'row'],
        ['cy', 'row'],
        ['ada', 'other'],
        ['ada', 'third'],
        ['dan', 'dan'],
        ['eve', 'eve'],
        ['eve', 'eve'],
        ['eve', 'eve'],
        // Ada's own calls do not keep others from changing her.
        ['fay', 'ada'],
      ];
      const calls = shares.map((share) => call(share));
      expect(begun).to.deep.equal(['ada row', 'bea row', 'ada other', 'dan dan', 'eve eve', 'eve eve', 'fay ada']);
      expect(await serve(1)).to.have.members(['cy row', 'ada third']);
      await finish(calls);
    });

    it('so that a call that may not run yet does not keep others from running', async () => {
      const { call, serve, finish } = makeQueue({ maxRunning: 3, maxPerKey: [2, 1] });
      const calls = ['cy ends', 'ada row', 'bea row 2', 'ada row', 'bea row 3'].map((share) =>
        call(share.split(/ (.*)/, 2) as [string, string]),
      );
      expect(await serve(1)).to.deep.equal(['bea row 3']);
      await finish(calls);
    });

    it('also after a refused call', async () => {
      const { call, begun, finish } = makeQueue({ maxRunning: 2, maxPerKey: [1], maxWaiting: 1 });
      const calls = [call('a', {}, 'running'), call('a', {}, 'waiting')];
      expect(await refusalOf(call('a'))).to.equal('rate_limited 1');
      expect(begun).to.deep.equal(['running']);
      await finish(calls);
    });
  });

  it('refuses calls that have waited three seconds and have not started, and no others', async () => {
    const { call, serve, timers } = makeQueue();
    const [a, b, c] = [call('a'), call('a', {}, 'b'), call('a', {}, 'c')];
    const refused = refusalOf(c);
    timers.advance(2000);
    expect(await serve(1)).to.deep.equal(['b']);
    const d = call('a', {}, 'd');
    timers.advance(MAX_WAIT_MS - 2000);
    expect(await refused).to.equal('unavailable 1');
    expect(await serve()).to.deep.equal(['d']);
    await Promise.all([a, b, d]);
  });

  it('starts no timer and forgets the caller when no call waits', async () => {
    const { queue, timers } = makeQueue();
    for (let at = 0; at < 3; at++) await queue.run(['caller', String(at)], async () => {});
    expect(timers.started()).to.equal(0);
  });

  it('skips a waiting call whose client disconnects, and runs the next one', async () => {
    const { call, serve, begun } = makeQueue();
    let isGone = false;
    const calls = [call('a', {}, 'running')];
    const gone = times(2, () => refusalOf(call('a', { isAbandoned: () => isGone }, 'gone')));
    calls.push(call('a', { isAbandoned: () => false }, 'here'));
    isGone = true;
    await serve();
    expect(await Promise.all(gone)).to.deep.equal(['unavailable 1', 'unavailable 1']);
    await Promise.all(calls);
    expect(begun).to.deep.equal(['running', 'here']);
  });

  it('runs continuations before the other calls of their caller, even when the queue is full', async () => {
    const { call, serve } = makeQueue({ maxWaiting: 1 });
    const calls = [call('a', {}, 'running'), call('a', {}, 'waiting')];
    calls.push(...['first', 'second'].map((name) => call('a', { isContinuation: true }, name)), call('b', {}, 'other'));
    expect(await serve()).to.deep.equal(['other', 'first', 'second', 'waiting']);
    await Promise.all(calls);
  });

  it('forgets the callers that have been served, even if some call always waits', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage: () => void = runInNewContext('gc');
    const { queue } = makeQueue({ maxPerKey: [1] });
    const nameBytes = 10_000;
    const served = 2000;
    const calls: Promise<void>[] = [];
    const heapAfter = async (callers: number, atOnce: number) => {
      for (let at = 0; at < callers; at++) {
        calls.push(queue.run([randomBytes(nameBytes / 2).toString('hex')], () => tick()));
        while (calls.length >= atOnce) await calls.shift();
      }
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = await heapAfter(100, 100);
    expect((await heapAfter(served, 10)) - before).to.be.below((served * nameBytes) / 4);
    expect(queue.use().waiting).to.be.greaterThan(0);
    await Promise.all(calls);
  });
});
