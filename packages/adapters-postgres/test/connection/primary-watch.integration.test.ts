import { mock } from 'node:test';
import { expect } from 'chai';
import { makeBreakableNetwork } from '../../../../test-support/breakable-network.ts';
import { query } from '../../../../test-support/query.ts';
import { watchPrimary } from '../../src/connection/primary-watch.ts';
import { until } from '../support/until.ts';
import { urlWithHosts } from '../support/use-primary-and-standby.ts';
import { useWorld } from '../support/use-world.ts';

describe('The watch of the hosts of a cluster', () => {
  const world = useWorld();
  afterEach(() => mock.timers.reset());

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
    await until(() => healthy.trips >= asked);
    expect(opened).to.be.below(5);
    watch.close();
    await Promise.all([healthy.close(), silent.close()]);
  });

  it('asks each host again every 2 seconds', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const hosts = [await makeBreakableNetwork(world().plainUrl), await makeBreakableNetwork(world().plainUrl)] as const;
    const trips = () => hosts.map((host) => host.trips);
    const watch = watchPrimary({ url: urlWithHosts(...hosts) });
    await watch.start();
    const asked = trips();
    mock.timers.tick(1999);
    await query(world().plainUrl, 'select');
    expect(trips()).to.deep.equal(asked);
    mock.timers.tick(1);
    await until(() => trips().every((count, at) => count > (asked[at] as number)));
    watch.close();
    await Promise.all(hosts.map((host) => host.close()));
  });
});
