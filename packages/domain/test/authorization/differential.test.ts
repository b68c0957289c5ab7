import { type InMemoryWorld, makeWorld, storeDivision, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { compare } from '../../../../test-support/proof/report.ts';
import { viewByUseCases } from '../../../../test-support/proof/views.ts';
import { type SmallWorld, smallWorld, viewByPolicy } from '../../../../test-support/proof/worlds.ts';
import { runs } from '../../../../test-support/properties.ts';

const examples = runs(1000);
const WORLDS = examples.numRuns;

const settleAll = async (stored: InMemoryWorld, { divisions, people }: SmallWorld): Promise<void> => {
  for (const division of divisions) await storeDivision(stored, division);
  for (const person of people) await storeUser(stored, person);
};

/** Compares what every person of a world sees with the policy. Returns the number of responses. */
const expectViews = async (stored: InMemoryWorld, world: SmallWorld): Promise<number> => {
  let compared = 0;
  for (const person of world.people) {
    const view = viewByPolicy(world, person);
    expect(await viewByUseCases(stored, world, person, { comparesExports: true })).to.deep.equal(view);
    compared += Object.keys(view).length;
  }
  return compared;
};

describe('In random worlds', function () {
  this.timeout(1_800_000);

  it('the use cases show what the policy allows, whichever unrelated people and divisions are stored', () =>
    compare('responses of the use cases compared with the policy', 10 * WORLDS, ({ add }) =>
      fc.assert(
        fc.asyncProperty(smallWorld, smallWorld, async (world, unrelated) => {
          const stored = makeWorld();
          await settleAll(stored, world);
          await settleAll(stored, unrelated);
          add(await expectViews(stored, world));
          add(await expectViews(stored, unrelated));
        }),
        examples,
      ),
    ));
});
