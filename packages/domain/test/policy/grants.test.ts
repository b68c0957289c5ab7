import {
  type Action,
  type Actor,
  anyOf,
  can,
  grants,
  isInScope,
  makeCan,
  makeGrants,
  OPERATOR,
  onUser,
  policy,
  restrict,
  rule,
  rules,
  type UserTarget,
} from '@chapter/domain';
import { expect } from 'chai';
import {
  actorWithStanding,
  flagPairs,
  leader,
  OTHER,
  OWN,
  standings,
  targetOf,
} from '../../../../test-support/proof/states.ts';

const actors: readonly Actor[] = standings.flatMap((standing) => {
  const actor = actorWithStanding(standing);
  return actor ? [actor, { ...actor, divisionId: OTHER }, { ...actor, divisionId: null }] : [];
});
const targets = (['self', 'same division', 'other division'] as const).flatMap((relation) =>
  flagPairs.flatMap((flags) => targetOf(relation, flags) ?? []),
);
const target = targetOf('same division') ?? expect.fail('a target in the same division exists');

describe('The grants of an action', () => {
  it('allow exactly the actors that the policy allows, all of them candidates', () => {
    let allowed = 0;
    for (const action of Object.keys(policy) as Action[]) {
      for (const one of targets) {
        const found = grants(action, one);
        for (const actor of actors) {
          const allowing = found.filter(({ allows }) => allows(actor));
          const shown = JSON.stringify({ action, actor, target: one });
          if (allowing.length > 0 !== can(actor, action, one))
            expect.fail(`${shown}: ${allowing.length} rules allow it`);
          for (const { candidates, rule: name } of allowing) {
            if (!isInScope(candidates, actor)) expect.fail(`${shown}: the actor is no candidate of ${name}`);
          }
          allowed += allowing.length;
        }
      }
    }
    expect(allowed).to.be.greaterThan(1000);
    expect(grants('updateUser', target).map(({ allows }) => allows(OPERATOR as never))).to.deep.equal([false, false]);
    expect(grants('moveUser', target)).to.deep.equal([]);
  });

  it('name each rule alone, with its candidates', () => {
    const inDivision = [{ divisionId: OWN }];
    const found = (action: Action) => grants(action, target).map(({ rule: name, candidates }) => [name, candidates]);
    expect(found('getUser')).to.deep.equal([
      ['the user themself', [{ id: target.id }]],
      ['a Leader of the division', inDivision],
      ['a Guest of the division', inDivision],
    ]);
    expect(found('listDivisions')).to.deep.equal([['an Administrator', 'all']]);
    expect(found('createPasswordLink')).to.deep.equal([
      ['another user who is a Leader of the division (and an Administrator if the user is one)', inDivision],
    ]);
  });

  it('have no candidates by an id that the target does not have', () => {
    expect(
      makeGrants({ greet: onUser(rules.self) })('greet', { divisionId: OWN } as UserTarget)[0]?.candidates,
    ).to.equal('none');
  });
});

describe('The grants by the rows of another service', () => {
  const anyone = rule<UserTarget>('anyone whose name has three letters', ({ username }) => username.length === 3);
  const namesake = restrict(anyone, 'a namesake', ({ username }, { id }) => id.startsWith(username));
  const colleague = restrict(rules.leader, 'another Leader', (actor, { id }: UserTarget) => actor.id !== id);
  const rows = {
    greet: onUser(anyOf(anyOf(rules.self, anyone), colleague)),
    call: onUser(namesake),
    praise: onUser(restrict(anyOf(rules.self, colleague), 'one of them', () => true)),
  };
  const grantsThere = makeGrants(rows);

  it('flatten nested rules, and know the reach of a restricted rule', () => {
    const found = grantsThere('greet', target).map(({ rule: name, candidates }) => [name, candidates]);
    expect(found).to.deep.equal([
      ['the user themself', [{ id: target.id }]],
      ['anyone whose name has three letters', 'all'],
      ['another Leader', [{ divisionId: OWN }]],
    ]);
    const candidatesOf = (action: 'call' | 'praise') => grantsThere(action, target).map(({ candidates }) => candidates);
    expect([...candidatesOf('call'), ...candidatesOf('praise')]).to.deep.equal([
      'all',
      [{ id: target.id }, { divisionId: OWN }],
    ]);
  });

  it('restrict a rule by a condition', () => {
    const canThere = makeCan(rows);
    const ada = { ...leader, username: 'ada', divisionId: OTHER };
    expect(canThere(ada, 'greet', target)).to.equal(true);
    expect(canThere(ada, 'call', target)).to.equal(false);
    expect(canThere({ ...ada, username: target.id.slice(0, 3) }, 'call', target)).to.equal(true);
    expect(canThere({ ...ada, username: target.id.slice(0, 4) }, 'call', target)).to.equal(false);
    expect(canThere(leader, 'praise', target)).to.equal(true);
    expect(canThere({ ...leader, id: target.id }, 'praise', target)).to.equal(true);
    expect(canThere({ ...leader, divisionId: OTHER }, 'praise', target)).to.equal(false);
  });
});
