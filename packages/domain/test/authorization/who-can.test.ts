import { type Action, asTarget, can, makeUseCases, OPERATOR, policy, type TargetOf } from '@chapter/domain';
import { makeWorld, storeDivision, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { compare } from '../../../../test-support/proof/report.ts';
import { smallWorld } from '../../../../test-support/proof/worlds.ts';
import { runs } from '../../../../test-support/properties.ts';

const examples = runs(200);
const WORLDS = examples.numRuns;

describe('In random worlds, the users who can perform an action', function () {
  this.timeout(1_800_000);

  it('are exactly those that the policy allows, for every action and target', () =>
    compare('decisions compared with the list of users who can', 100 * WORLDS, ({ add }) =>
      fc.assert(
        fc.asyncProperty(smallWorld, async ({ divisions, people }) => {
          const stored = makeWorld();
          for (const division of divisions) await storeDivision(stored, division);
          for (const person of people) await storeUser(stored, person);
          const { listUsersWhoCan: whoCan } = makeUseCases(stored);
          const targets = [...people.map(asTarget), ...divisions.map(({ id }) => ({ divisionId: id }))];
          for (const action of Object.keys(policy) as Action[]) {
            for (const target of targets as readonly TargetOf<typeof action>[]) {
              const listed = new Set<string>();
              await whoCan(OPERATOR, action, target, async ({ users }) => users.forEach(({ id }) => listed.add(id)));
              const allowed = people.filter((person) => can(person, action, target)).map(({ id }) => id);
              expect([...listed].toSorted(), action).to.deep.equal(allowed.toSorted());
              add(people.length);
            }
          }
        }),
        examples,
      ),
    ));
});
