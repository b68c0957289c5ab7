import { asTarget, can, isInScope, scope } from '@chapter/domain';
import { type InMemoryWorld, makeWorld, storeDivision, storeUser } from '@chapter/domain/testing';
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

const settleAll = async (stored: InMemoryWorld, { divisions, people }: SmallWorld): Promise<void> => {
  for (const division of divisions) await storeDivision(stored, division);
  for (const person of people) await storeUser(stored, person);
};

let compared = 0;
const expectViews = async (stored: InMemoryWorld, world: SmallWorld): Promise<void> => {
  for (const person of world.people) {
    const view = viewByPolicy(world, person);
    expect(await viewByUseCases(stored, world, person, { comparesExports: true })).to.deep.equal(view);
    compared += Object.keys(view).length;
  }
};

describe('In random worlds', function () {
  this.timeout(1_800_000);
  after(() => reportCount(compared, `responses of the use cases compared with the policy, in ${3 * WORLDS} worlds`));

  it('the use cases show what the policy allows, and lists have exactly the rows in their scope', async () => {
    await fc.assert(
      fc.asyncProperty(smallWorld, async (world) => {
        const stored = makeWorld();
        await settleAll(stored, world);
        await expectViews(stored, world);
      }),
      { numRuns: WORLDS },
    );
  });

  it('the scope of a list of users contains exactly the users that the caller may read', () => {
    let listed = 0;
    fc.assert(
      fc.property(smallWorld, ({ people }) => {
        for (const actor of people) {
          const readable = people.filter((person) => can(actor, 'getUser', asTarget(person)));
          for (const action of ['listUsers', 'listDivisionUsers'] as const) {
            if (!can(actor, action, actor)) continue;
            const allowed = scope(actor, action);
            expect(people.filter((person) => isInScope(allowed, person))).to.deep.equal(readable);
            listed += readable.length;
          }
        }
      }),
      { numRuns: WORLDS },
    );
    expect(listed).to.be.greaterThan(WORLDS);
  });

  it('people and divisions unrelated to a caller change none of their responses', async () => {
    await fc.assert(
      fc.asyncProperty(smallWorld, smallWorld, async (world, unrelated) => {
        const stored = makeWorld();
        await settleAll(stored, world);
        await settleAll(stored, unrelated);
        await expectViews(stored, world);
        await expectViews(stored, unrelated);
      }),
      { numRuns: WORLDS },
    );
  });

  it('a move to another division changes what every caller sees in one step', async () => {
    await fc.assert(
      fc.asyncProperty(smallWorld, anyMove, async (world, move) => {
        const stored = makeWorld();
        await settleAll(stored, world);
        const { mover, world: moved } = afterMove(world, move);
        await expectViews(stored, world);
        stored.move(mover.id, mover.division.id);
        await expectViews(stored, moved);
      }),
      { numRuns: WORLDS },
    );
  });
});
