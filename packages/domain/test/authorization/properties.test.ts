import { type Action, explain, policy } from '@chapter/domain';
import { expect } from 'chai';
import {
  oracleActions,
  RELATIONS,
  type Relation,
  type Standing,
} from '../../../../test-support/authorization/oracle.ts';
import {
  actorWithStanding,
  flagPairs,
  groupSubsets,
  standings,
  targetOf,
} from '../../../../test-support/authorization/states.ts';

interface Question {
  readonly action: Action;
  readonly relation: Relation;
}

const questions: readonly Question[] = oracleActions.flatMap(({ action, relations }) =>
  relations.map((relation) => ({ action: action as Action, relation })),
);
const active = (groups: readonly string[], flags = { isStaff: false, isSuperuser: false }): Standing => ({
  status: 'active',
  groups,
  ...flags,
});
const outcomeOf = (standing: Standing, { action, relation }: Question) =>
  explain(actorWithStanding(standing), action, targetOf(relation)).outcome;
const allows = (standing: Standing, question: Question) => outcomeOf(standing, question) === 'allowed';
const shown = ({ action, relation }: Question) => `${action}: ${relation}`;
const allowedTo = (standing: Standing) => questions.filter((question) => allows(standing, question)).map(shown);

/** All pairs of groups with all pairs of flags. */
const pairs = groupSubsets.flatMap((one) =>
  groupSubsets.flatMap((other) => flagPairs.map((flags) => ({ one, other, flags }))),
);
const OUTCOMES = ['unauthenticated', 'not_found', 'forbidden', 'allowed'];

describe('In all states', () => {
  it('unauthenticated, inactive and deleted callers may do nothing and learn nothing', () => {
    for (const standing of standings.filter(({ status }) => status !== 'active')) {
      for (const question of questions) expect(outcomeOf(standing, question)).to.equal('unauthenticated');
    }
  });

  it('every rule except those about the actor themself denies an inactive actor', () => {
    const inactive = actorWithStanding({ ...active([]), status: 'inactive' });
    const target = targetOf('other division');
    if (!inactive || !target) throw new Error('expected both');
    for (const { allows: rule, canSee } of Object.values(policy)) {
      expect(rule(inactive, target)).to.equal(false);
      expect(canSee(inactive, { ...target, divisionId: inactive.divisionId })).to.equal(false);
    }
  });

  it('a caller without groups and flags has only the rights of every user', () => {
    expect(allowedTo(active([]))).to.deep.equal([
      'getUser: self',
      'updateUser: self',
      'listGroups: self',
      'getInfo: self',
      'listOwnSessions: self',
      'endOwnSession: self',
    ]);
  });

  it('no one has rights in another division or on a nonexistent target', () => {
    for (const standing of standings) {
      for (const question of questions.filter(({ relation }) => RELATIONS.indexOf(relation) > 1)) {
        expect(allows(standing, question), `${JSON.stringify(standing)} ${shown(question)}`).to.equal(false);
      }
    }
  });

  it('only Administrators know of targets in another division, and only of divisions', () => {
    for (const standing of standings) {
      const known = questions
        .filter(({ relation }) => relation === 'other division')
        .filter((question) => outcomeOf(standing, question) === 'forbidden')
        .map(({ action }) => action);
      const isAdministrator = standing.status === 'active' && (standing.isStaff || standing.isSuperuser);
      expect(known).to.deep.equal(isAdministrator ? ['getDivision', 'updateDivision', 'listDivisionUsers'] : []);
    }
  });

  it('the rights of several groups are the union of the rights of each', () => {
    for (const { one, other, flags } of pairs) {
      const both = groupSubsets.find(
        (groups) =>
          groups.length === new Set([...one, ...other]).size &&
          [...one, ...other].every((group) => groups.includes(group)),
      );
      for (const question of questions) {
        expect(allows(active(both ?? [], flags), question)).to.equal(
          allows(active(one, flags), question) || allows(active(other, flags), question),
        );
      }
    }
  });

  it('an additional group removes neither rights nor knowledge of targets', () => {
    for (const { one, other, flags } of pairs.filter(({ one, other }) => one.every((group) => other.includes(group)))) {
      for (const question of questions) {
        const [less, more] = [outcomeOf(active(one, flags), question), outcomeOf(active(other, flags), question)];
        expect(OUTCOMES.indexOf(more), shown(question)).to.be.at.least(OUTCOMES.indexOf(less));
      }
    }
  });

  it('an Administrator flag adds only the list of divisions', () => {
    for (const groups of groupSubsets) {
      for (const flags of flagPairs.filter(({ isStaff, isSuperuser }) => isStaff || isSuperuser)) {
        const added = allowedTo(active(groups, flags)).filter((right) => !allowedTo(active(groups)).includes(right));
        expect(added).to.deep.equal(['listDivisions: self']);
        expect(allowedTo(active(groups, flags))).to.include.members(allowedTo(active(groups)));
      }
    }
  });
});
