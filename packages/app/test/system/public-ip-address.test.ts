import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { makePublicAddress } from '../../src/system/public-ip-address.ts';

describe('The public address', () => {
  const unknown = { known: null, lookUp: true };
  let lookUps = 0;
  const make = (find: () => Promise<string>, settings: Parameters<typeof makePublicAddress>[0] = unknown) =>
    makePublicAddress(settings, () => {
      lookUps += 1;
      return find();
    });
  beforeEach(() => {
    lookUps = 0;
  });

  it('is the configured one, which is not looked up', async () => {
    const address = make(async () => '198.51.100.1', { known: '203.0.113.7', lookUp: true });
    await turn();
    expect([address.current(), lookUps]).to.deep.equal(['203.0.113.7', 0]);
  });

  it('is unknown if look-ups are switched off', async () => {
    const address = make(async () => '198.51.100.1', { known: null, lookUp: false });
    await turn();
    expect([address.current(), lookUps]).to.deep.equal([null, 0]);
  });

  it('stays unknown after a failure or an invalid address', async () => {
    const offline = make(() => Promise.reject(new Error('offline')));
    const portal = make(async () => '<html>Log in</html>');
    await turn();
    expect([offline.current(), portal.current(), lookUps]).to.deep.equal([null, null, 2]);
    offline.stop();
    portal.stop();
  });

  it('ignores a look-up that ends after the stop', async () => {
    const address = make(async () => '198.51.100.1');
    address.stop();
    await turn();
    expect(address.current()).to.equal(null);
  });

  it('is looked up hourly after a success and at growing intervals after failures', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const results = ['', '', '198.51.100.1', '', '198.51.100.2'];
    const address = make(async () => results[lookUps - 1] ?? '');
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
