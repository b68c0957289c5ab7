import {
  type Action,
  type Actor,
  anyOf,
  can,
  isInScope,
  makeCan,
  makeScope,
  OPERATOR,
  onDivision,
  onUser,
  policy,
  rule,
  rules,
  type Scope,
  type ScopedActionIn,
  scope,
  scopedRule,
  type UserTarget,
} from '@chapter/domain';
import { expect } from 'chai';
import { compare } from '../../../../test-support/proof/report.ts';
import {
  actorWithStanding,
  flagPairs,
  idNamed,
  leader,
  OTHER,
  OWN,
  standings,
} from '../../../../test-support/proof/states.ts';

type ScopedAction = ScopedActionIn<typeof policy>;
/** The rule of a password link looks at two properties of its target at once, so it has no scope. */
const unscoped = { createPasswordLink: true } satisfies Record<Exclude<Action, ScopedAction>, true>;
const isScopedAction = (action: string): action is ScopedAction => !Object.hasOwn(unscoped, action);
const actions = Object.keys(policy).filter(isScopedAction);
const divisions = [OWN, OTHER, null];

/** All actors of the enumeration, also with their division deleted. */
const actors: readonly (Actor | null)[] = standings.flatMap((standing) => {
  const actor = actorWithStanding(standing);
  return actor ? [actor, { ...actor, divisionId: null }] : [null];
});
const targets: readonly UserTarget[] = ['actor', 'target'].flatMap((name) =>
  divisions.flatMap((divisionId) => flagPairs.map((flags) => Object.assign({ id: idNamed(name), divisionId }, flags))),
);

/** Implements the documented meaning of a scope independently of `isInScope`. */
const contains = (set: Scope, { id, divisionId }: UserTarget): boolean =>
  typeof set === 'string'
    ? set === 'all'
    : set.some((match) =>
        Object.hasOwn(match, 'id')
          ? id === match['id']
          : typeof divisionId === 'string' && divisionId === match['divisionId'],
      );

describe('The scope of every actor and action', () => {
  it('contains exactly the targets that the policy allows', () =>
    compare('scopes compared with decisions', 50_000, ({ same }) => {
      for (const actor of [OPERATOR, ...actors]) {
        for (const action of actions) {
          const set = scope(actor, action);
          for (const target of targets) {
            const decided = can(actor, action, target);
            same([contains(set, target), isInScope(set, target)], [decided, decided], { actor, action, target, set });
          }
        }
      }
    }));

  it('is plain data without an empty or repeated part', () => {
    const [own, self] = [{ divisionId: OWN }, { id: leader.id }];
    expect(scope({ ...leader, groups: ['Leader', 'Guest'] }, 'listUsers')).to.deep.equal([own]);
    expect(scope(leader, 'getUser')).to.deep.equal([self, own]);
    expect(scope({ ...leader, groups: [] }, 'getUser')).to.deep.equal([self]);
    for (const action of ['listOwnSessions', 'endOwnSession'] as const) {
      expect(scope(leader, action)).to.deep.equal([self]);
    }
    expect(scope({ ...leader, isStaff: true }, 'listDivisions')).to.equal('all');
    expect(scope({ ...leader, divisionId: null }, 'listUsers')).to.equal('none');
    expect(scope({ ...leader, divisionId: null }, 'createUser')).to.equal('none');
    expect(scope({ ...leader, isActive: false }, 'getUser')).to.equal('none');
    expect([scope(OPERATOR, 'updateUser'), scope(OPERATOR, 'getUser')]).to.deep.equal(['all', 'none']);
    expect(scope(leader, 'moveUser')).to.equal('none');
  });
});

const OF_DIVISION = { divisionId: { actor: 'divisionId' } } as const;

describe('The scope by the rows of another service', () => {
  const adult = scopedRule('a member of age', OF_DIVISION, ({ username }) => username !== 'minor');
  const notThemself = rule<UserTarget>(
    'another Leader',
    (actor, user) => rules.leader(actor, user) && user.id !== actor.id,
  );
  const rows = {
    ...policy,
    printBadge: onUser(anyOf(rules.self, rules.guest)),
    seePhoto: onUser(anyOf(rules.guest, rules.self)),
    buyBeer: onDivision(adult),
    auditDivision: onDivision(anyOf(rules.leader, rules.administrator)),
    praise: onUser(notThemself),
    praiseOrPrint: onUser(anyOf(rules.self, notThemself)),
  };
  const scopeThere = makeScope(rows);

  it('follows the rules of each row', () => {
    const guest: Actor = { ...leader, groups: ['Guest'] };
    const [own, self] = [{ divisionId: OWN }, { id: leader.id }];
    expect(scopeThere(guest, 'printBadge')).to.deep.equal([self, own]);
    expect(scopeThere(guest, 'seePhoto')).to.deep.equal([own, self]);
    expect(scopeThere(leader, 'printBadge')).to.deep.equal([self]);
    expect(scopeThere(leader, 'buyBeer')).to.deep.equal([own]);
    expect(scopeThere({ ...leader, username: 'minor' }, 'buyBeer')).to.equal('none');
    expect(scopeThere(leader, 'auditDivision')).to.deep.equal([own]);
    expect(scopeThere({ ...leader, isStaff: true }, 'auditDivision')).to.equal('all');
    expect(scopeThere(leader, 'updateDivision')).to.deep.equal([own]);
  });

  it('needs no target if the rule reaches everything', () => {
    expect(rules.administrator({ ...leader, isStaff: true }, null)).to.equal(true);
    expect(rules.administrator(leader, null)).to.equal(false);
  });

  it('does not compile for an unscoped rule, and is none', () => {
    // @ts-expect-error the rule reads more than a scope can express
    expect(scopeThere(leader, 'praise')).to.equal('none');
    // @ts-expect-error one of the rules reads more than a scope can express
    expect(scopeThere(leader, 'praiseOrPrint')).to.equal('none');
    expect(makeCan(rows)(leader, 'praiseOrPrint', { ...leader })).to.equal(true);
  });
});

describe('isInScope', () => {
  it('matches no target without an id or a division, unless the scope is all', () => {
    for (const target of [{ divisionId: null }, { divisionId: null, id: undefined }]) {
      expect(isInScope([{ divisionId: OWN }, { id: leader.id }], target)).to.equal(false);
      expect(isInScope('none', target)).to.equal(false);
      expect(isInScope('all', target)).to.equal(true);
    }
  });
});
