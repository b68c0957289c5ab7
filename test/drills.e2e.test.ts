import { expect } from 'chai';
import { atLeast } from '../test-support/counts.ts';
import { DRILLS, faultsIn, QUICK, runDrill } from '../test-support/drills/drills.ts';
import { type DrillWorld, openWorld } from '../test-support/drills/world.ts';
import { reportCount } from '../test-support/proof/report.ts';

/** Milliseconds for which a fault lasts. */
const HOLD_MS = 1000;

describe('A drill with clients that log each acknowledged change', () => {
  let world: DrillWorld;

  before('start two instances, a primary and its standby', async () => {
    world = await openWorld();
  });
  after('stop them', () => world?.close());

  const quick = DRILLS.filter(({ name }) => QUICK.includes(name));
  for (const drill of atLeast(3, quick)) {
    it(`${drill.name}: ${drill.does}, and nothing is lost, stored twice or wrong`, async () => {
      const log = await runDrill(world, drill, HOLD_MS);
      expect(faultsIn(log, drill)).to.deep.equal([]);
      expect(log.suspended.tried).to.be.above(0);
      reportCount(log.acknowledged, `acknowledged changes during the drill "${drill.name}", 0 lost or stored twice`, 1);
    });
  }
});
