import { expect } from 'chai';
import { HEALTH_LIMITS, makeWorkerHealth } from '../../src/serve/workers.ts';

describe('The health of workers', () => {
  const make = () => {
    const blocked: string[] = [];
    const health = makeWorkerHealth<string>(HEALTH_LIMITS, (worker) => blocked.push(worker));
    const tick = (times: number): void => {
      for (let n = 0; n < times; n++) health.tick();
    };
    return { ...health, blocked, tick };
  };

  it('reports a worker as blocked after 10 s without a heartbeat, once', () => {
    const { watch, tick, blocked } = make();
    watch('a');
    tick(9);
    expect(blocked).to.deep.equal([]);
    tick(1);
    expect(blocked).to.deep.equal(['a']);
    tick(100);
    expect(blocked).to.deep.equal(['a']);
  });

  it('counts a worker as unresponsive after 5 s without a heartbeat, until the next one', () => {
    const { watch, tick, onHeartbeat, countResponsive } = make();
    watch('a');
    watch('b');
    tick(4);
    onHeartbeat('a');
    expect(countResponsive()).to.equal(2);
    tick(1);
    expect(countResponsive()).to.equal(1);
    onHeartbeat('b');
    expect(countResponsive()).to.equal(2);
  });

  it('reports no worker that sends heartbeats, that does not serve yet, or that has ended', () => {
    const { watch, unwatch, tick, onHeartbeat, countResponsive, blocked } = make();
    onHeartbeat('starting');
    watch('ended');
    unwatch('ended');
    onHeartbeat('ended');
    watch('serving');
    for (let n = 0; n < 100; n++) {
      tick(1);
      onHeartbeat('serving');
    }
    expect(blocked).to.deep.equal([]);
    expect(countResponsive()).to.equal(1);
  });
});
