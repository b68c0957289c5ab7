import { makeWorld, storeDivision, storeUser, type TwinWorld } from '@chapter/domain/testing';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { reportCount } from '../../../../scripts/proof-counts.ts';
import { viewByUseCases } from '../../../../test-support/authorization/views.ts';
import {
  afterMove,
  anyMove,
  type SmallWorld,
  smallWorld,
  viewByPolicy,
} from '../../../../test-support/authorization/worlds.ts';

const WORLDS = Number(process.env['FC_RUNS'] ?? 1000);

const settleAll = async (twin: TwinWorld, { divisions, people }: SmallWorld): Promise<void> => {
  for (const division of divisions) await storeDivision(twin, division);
  for (const person of people) await storeUser(twin, person);
};

let compared = 0;
const expectViews = async (twin: TwinWorld, world: SmallWorld): Promise<void> => {
  for (const person of world.people) {
    const view = viewByPolicy(world, person);
    expect(await viewByUseCases(twin, world, person)).to.deep.equal(view);
    compared += Object.keys(view).length;
  }
};

describe('In any world', function () {
  this.timeout(1_800_000);
  after(() => reportCount(compared, `answers of the use cases compared with the policy, in ${3 * WORLDS} worlds`));

  it('the use cases show what the policy allows, and a list has exactly the rows whose detail is readable', async () => {
    await fc.assert(
      fc.asyncProperty(smallWorld, async (world) => {
        const twin = makeWorld();
        await settleAll(twin, world);
        await expectViews(twin, world);
      }),
      { numRuns: WORLDS },
    );
  });

  it('people and divisions that have nothing to do with somebody change no answer', async () => {
    await fc.assert(
      fc.asyncProperty(smallWorld, smallWorld, async (world, unrelated) => {
        const twin = makeWorld();
        await settleAll(twin, world);
        await settleAll(twin, unrelated);
        await expectViews(twin, world);
        await expectViews(twin, unrelated);
      }),
      { numRuns: WORLDS },
    );
  });

  it('a move to another division changes what everybody sees in one step', async () => {
    await fc.assert(
      fc.asyncProperty(smallWorld, anyMove, async (world, move) => {
        const twin = makeWorld();
        await settleAll(twin, world);
        const { mover, world: moved } = afterMove(world, move);
        await expectViews(twin, world);
        twin.move(mover.id, mover.division.id);
        await expectViews(twin, moved);
      }),
      { numRuns: WORLDS },
    );
  });
});
