import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { makePublicAddress } from '../../src/system/public-ip-address.ts';

describe('The public address', () => {
  const unknown = { known: null, lookUp: true };
  let asked = 0;
  const answering = (answer: () => Promise<string>) => () => {
    asked += 1;
    return answer();
  };
  beforeEach(() => {
    asked = 0;
  });

  it('is the one that the operator knows, and is then not looked up', async () => {
    const find = answering(() => Promise.resolve('198.51.100.1'));
    const address = makePublicAddress({ known: '203.0.113.7', lookUp: true }, find);
    await turn();
    expect([address.current(), asked]).to.deep.equal(['203.0.113.7', 0]);
  });

  it('is unknown and not looked up where the operator does not want it', async () => {
    const address = makePublicAddress(
      { known: null, lookUp: false },
      answering(() => Promise.resolve('198.51.100.1')),
    );
    await turn();
    expect([address.current(), asked]).to.deep.equal([null, 0]);
  });

  it('is looked up in the background', async () => {
    const address = makePublicAddress(
      unknown,
      answering(() => Promise.resolve('198.51.100.1')),
    );
    expect(address.current()).to.equal(null);
    await turn();
    expect([address.current(), asked]).to.deep.equal(['198.51.100.1', 1]);
    address.stop();
  });

  it('stays unknown where nobody answers, or what is answered is no address', async () => {
    const offline = makePublicAddress(
      unknown,
      answering(() => Promise.reject(new Error('offline'))),
    );
    const portal = makePublicAddress(
      unknown,
      answering(() => Promise.resolve('<html>Log in</html>')),
    );
    await turn();
    expect([offline.current(), portal.current(), asked]).to.deep.equal([null, null, 2]);
    offline.stop();
    portal.stop();
  });

  it('is not taken any more once nobody wants it', async () => {
    const address = makePublicAddress(
      unknown,
      answering(() => Promise.resolve('198.51.100.1')),
    );
    address.stop();
    await turn();
    expect(address.current()).to.equal(null);
  });

  it('is asked for again: every hour once it is known, before ever less often', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const answers = ['', '', '198.51.100.1', '', '198.51.100.2'];
    const address = makePublicAddress(
      unknown,
      answering(() => Promise.resolve(answers[asked - 1] ?? '')),
    );
    const seen: unknown[] = [];
    for (const minutes of [0, 1, 2, 60, 1]) {
      mock.timers.tick(minutes * 60_000);
      await turn();
      seen.push([asked, address.current()]);
    }
    address.stop();
    mock.timers.reset();
    expect(seen).to.deep.equal([
      [1, null],
      [2, null],
      [3, '198.51.100.1'],
      [4, '198.51.100.1'],
      [5, '198.51.100.2'],
    ]);
  });
});
