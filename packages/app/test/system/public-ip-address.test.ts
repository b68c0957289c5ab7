import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { makePublicAddress } from '../../src/system/public-ip-address.ts';

describe('The public address', () => {
  const unknown = { known: null, lookUp: true };
  let lookUps = 0;
  const makeFind = (result: () => Promise<string>) => () => {
    lookUps += 1;
    return result();
  };
  beforeEach(() => {
    lookUps = 0;
  });

  it('is the configured one, which is not looked up', async () => {
    const find = makeFind(() => Promise.resolve('198.51.100.1'));
    const address = makePublicAddress({ known: '203.0.113.7', lookUp: true }, find);
    await turn();
    expect([address.current(), lookUps]).to.deep.equal(['203.0.113.7', 0]);
  });

  it('is unknown if look-ups are switched off', async () => {
    const address = makePublicAddress(
      { known: null, lookUp: false },
      makeFind(() => Promise.resolve('198.51.100.1')),
    );
    await turn();
    expect([address.current(), lookUps]).to.deep.equal([null, 0]);
  });

  it('stays unknown after a failure or an invalid address', async () => {
    const offline = makePublicAddress(
      unknown,
      makeFind(() => Promise.reject(new Error('offline'))),
    );
    const portal = makePublicAddress(
      unknown,
      makeFind(() => Promise.resolve('<html>Log in</html>')),
    );
    await turn();
    expect([offline.current(), portal.current(), lookUps]).to.deep.equal([null, null, 2]);
    offline.stop();
    portal.stop();
  });

  it('ignores a look-up that ends after the stop', async () => {
    const address = makePublicAddress(
      unknown,
      makeFind(() => Promise.resolve('198.51.100.1')),
    );
    address.stop();
    await turn();
    expect(address.current()).to.equal(null);
  });

  it('is looked up hourly after a success and at growing intervals after failures', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const results = ['', '', '198.51.100.1', '', '198.51.100.2'];
    const address = makePublicAddress(
      unknown,
      makeFind(() => Promise.resolve(results[lookUps - 1] ?? '')),
    );
    const seen: unknown[] = [];
    for (const minutes of [0, 1, 2, 60, 1]) {
      mock.timers.tick(minutes * 60_000);
      await turn();
      seen.push([lookUps, address.current()]);
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
