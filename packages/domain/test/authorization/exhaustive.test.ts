import { readFileSync } from 'node:fs';
import { type Action, type Actor, explain, policy } from '@chapter/domain';
import { expect } from 'chai';
import { reportCount } from '../../../../scripts/proof-counts.ts';
import { oracle, oracleActions, type Relation, type Standing } from '../../../../test-support/authorization/oracle.ts';
import {
  actorWithStanding,
  flagPairs,
  groupSubsets,
  standings,
  targetOf,
} from '../../../../test-support/authorization/states.ts';

interface Case {
  readonly standing: Standing;
  readonly action: Action;
  readonly relation: Relation;
}

const decisions: readonly Case[] = standings.flatMap((standing) =>
  oracleActions.flatMap(({ action, relations }) =>
    relations.map((relation) => ({ standing, action: action as Action, relation })),
  ),
);

const decide = (actor: Actor | null, { action, relation }: Case, flags?: { isStaff: boolean; isSuperuser: boolean }) =>
  explain(actor, action, targetOf(relation, flags)).outcome;

describe('The decisions', () => {
  it('cover exactly the actions of the policy', () => {
    expect(oracleActions.map(({ action }) => action).toSorted()).to.deep.equal(Object.keys(policy).toSorted());
  });

  it('equal those of the oracle', function () {
    const wrong = decisions.filter(
      (each) => decide(actorWithStanding(each.standing), each) !== oracle(each.standing, each.action, each.relation),
    );
    expect(wrong).to.deep.equal([]);
    expect(decisions).to.have.length(97 * 38);
    expect(readFileSync('README.md', 'utf8')).to.include(`${decisions.length.toLocaleString('en')} decisions`);
    reportCount(decisions.length, 'decisions enumerated in process');
  });

  it('depend on the flags of the target as the tables say, and on no groups of the target', () => {
    let count = 0;
    for (const each of decisions) {
      for (const flags of flagPairs) {
        const expected = oracle(each.standing, each.action, each.relation, flags);
        // A target that reached a rule with its groups would reveal a rule that reads them.
        for (const groups of groupSubsets.slice(0, each.relation === 'absent' ? 1 : undefined)) {
          const target = targetOf(each.relation, flags);
          const { outcome } = explain(actorWithStanding(each.standing), each.action, target && { ...target, groups });
          if (outcome !== expected)
            expect.fail(`${JSON.stringify({ ...each, flags, groups })}: ${outcome}, not ${expected}`);
          count++;
        }
      }
    }
    reportCount(count, "decisions with the target's groups and flags");
    expect(count).to.be.greaterThan(39_000);
  });
});
