import { setImmediate as turn } from 'node:timers/promises';
import { DomainError } from '@chapter/domain';
import { expect } from 'chai';
import { makeGate } from '../../src/passwords/gate.ts';

describe('The gate', () => {
  const work = (gate: ReturnType<typeof makeGate>, name: string, begun: string[]) => {
    const { promise, reject, resolve } = Promise.withResolvers<void>();
    const done = gate(() => {
      begun.push(name);
      return promise;
    });
    return { done, finish: resolve, fail: reject };
  };

  it('lets so many run at once, and the others in the order in which they came', async () => {
    const gate = makeGate({ atOnce: 2, waiting: 5 });
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

  it('turns away at once who finds the queue full', async () => {
    const gate = makeGate({ atOnce: 1, waiting: 1 });
    const [a, b] = [work(gate, 'a', []), work(gate, 'b', [])];
    expect(gate.isFull()).to.equal(true);
    const refused = await gate(() => Promise.resolve('never')).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(DomainError).and.include({ code: 'unavailable', retryAfter: 1 });
    a.finish();
    b.finish();
    await Promise.all([a.done, b.done]);
    expect(await gate(() => Promise.resolve('again'))).to.equal('again');
  });

  it('gives the place of one that fails to the next', async () => {
    const gate = makeGate({ atOnce: 1, waiting: 1 });
    const failing = work(gate, 'a', []);
    const next = gate(() => Promise.resolve('next'));
    failing.fail(new Error('broken'));
    expect(await failing.done.catch(String)).to.equal('Error: broken');
    expect(await next).to.equal('next');
  });
});
