import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { makeBreakableNetwork } from '../../../../test-support/breakable-network.ts';
import { watchPrimary } from '../../src/connection/primary-watch.ts';
import { urlWithHosts } from '../support/use-primary-and-standby.ts';
import { useWorld } from '../support/use-world.ts';

describe('The watch of the hosts of a cluster', () => {
  const world = useWorld();

  it('asks the other hosts while one is silent', async () => {
    let opened = 0;
    const healthy = await makeBreakableNetwork(world().plainUrl);
    const silent = await makeBreakableNetwork(world().plainUrl, () => {
      opened += 1;
      return { sent: () => {}, received: () => {} };
    });
    silent.hang();
    const watch = watchPrimary({ url: urlWithHosts(healthy, silent) }, 20);
    await watch.start();
    expect(opened).to.equal(1);
    const asked = healthy.trips + 10;
    while (healthy.trips < asked) await sleep(5);
    expect(opened).to.be.below(5);
    watch.close();
    await Promise.all([healthy.close(), silent.close()]);
  });
});
