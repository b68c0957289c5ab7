import { expect } from 'chai';
import { makeRandom } from '../../../../test-support/simulation/random.ts';
import { makeScheduler, orders } from '../../../../test-support/simulation/scheduler.ts';

const SEED = 1;
const TURNS = 20;

/** Runs clients with equally many turns, and returns the clients in the order of their turns. */
const turnsOf = async (order: keyof typeof orders, clients: number): Promise<readonly number[]> => {
  const scheduler = makeScheduler(orders[order](makeRandom(SEED), clients), () => {});
  const turns: number[] = [];
  const client = (at: number) => async () => {
    for (let left = TURNS; left > 0; left--) {
      await scheduler.turn();
      turns.push(at);
      expect(scheduler.client()).to.equal(at);
    }
  };
  await scheduler.run(Array.from({ length: clients }, (_, at) => client(at)));
  return turns;
};

describe('The scheduler', () => {
  for (const order of Object.keys(orders) as (keyof typeof orders)[]) {
    it(`gives every client all its turns, ${order}`, async () => {
      const turns = await turnsOf(order, 3);
      for (const client of [0, 1, 2]) expect(turns.filter((one) => one === client)).to.have.lengthOf(TURNS);
    });
  }

  it('starves one client until the others have ended', async () => {
    const turns = await turnsOf('one client starves', 3);
    const last = turns.at(-1);
    expect(turns.indexOf(last ?? -1)).to.equal(2 * TURNS);
  });

  it('usually runs one client before all others', async () => {
    const turns = await turnsOf('one client first', 3);
    const ends = [0, 1, 2].map((client) => turns.lastIndexOf(client)).toSorted((one, other) => one - other);
    expect(ends[0]).to.be.below(2 * TURNS);
  });

  it('fails with the error of a client, and leaves the others', async () => {
    const scheduler = makeScheduler(
      () => 0,
      () => {},
    );
    const waiting = async () => {
      for (;;) await scheduler.turn();
    };
    const failing = async () => {
      await scheduler.turn();
      throw new Error('failed');
    };
    const error = await scheduler.run([failing, waiting]).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(String(error)).to.equal('Error: failed');
  });

  it('rejects two concurrent calls of one client', async () => {
    const scheduler = makeScheduler(
      () => 0,
      () => {},
    );
    const error = await scheduler
      .run([async () => void (await Promise.all([scheduler.turn(), scheduler.turn()]))])
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    expect(String(error)).to.match(/two port calls at once/);
  });
});
