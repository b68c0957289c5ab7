import { type Actor, actorFromClaims, actorOf, asTarget, can, makeActor, readActor } from '@chapter/domain/api';
import { aLeader } from '@chapter/domain/testing';
import { expect } from 'chai';
import { leader, OTHER, OWN } from '../../../../test-support/proof/states.ts';

const mayUpdate = (actor: unknown): boolean => can(actor as Actor, 'updateDivision', { divisionId: OWN });

describe('actorOf', () => {
  it('returns the rights of a user and nothing else, and asTarget what rules read of one', () => {
    const leader = aLeader().with({ isStaff: true, email: 'ada@example.org' });
    const target = { id: leader.id, divisionId: leader.division.id, isStaff: true, isSuperuser: false };
    const rights = { username: leader.username, groups: ['Leader'], isActive: true };
    expect(actorOf(leader)).to.deep.equal({ ...target, ...rights });
    expect(asTarget(leader)).to.deep.equal(target);
  });

  it('returns a damaged user without rights', () => {
    const damaged = actorOf({ ...aLeader(), groups: ['Leader', 'Leader'], division: { id: OWN, name: '' } });
    expect(mayUpdate(damaged)).to.equal(false);
    expect(mayUpdate(Object.assign(damaged, { groups: ['Leader'] }))).to.equal(true);
  });
});

describe('An actor that is checked where it is made', () => {
  const claims = { sub: leader.id, username: 'leader', division_id: OWN, is_staff: false, is_superuser: false };
  const groups: string[] = ['Leader'];
  const stored = { ...aLeader(), ...leader, groups: groups as ['Leader'], division: { id: OWN, name: '' } };
  const sources = {
    actorFromClaims: () => actorFromClaims({ ...claims, groups }),
    actorOf: () => actorOf(stored),
    makeActor: () => makeActor({ ...leader, groups: groups as ['Leader'] }),
  };

  for (const [source, make] of Object.entries(sources)) {
    it(`is immutable and not read again, from ${source}`, () => {
      const actor = make() ?? expect.fail();
      expect(readActor(actor)).to.equal(actor);
      expect([Object.isFrozen(actor), Object.isFrozen(actor.groups)]).to.deep.equal([true, true]);
      groups.push('Leader');
      expect(mayUpdate(actor)).to.equal(true);
      groups.length = 1;
    });
  }

  it('gives no right to a value that was made of it', () => {
    const actor = makeActor(leader);
    const heir = Object.create(actor, { groups: { value: ['Leader', 'Leader'] } }) as Actor;
    const odd = new Proxy(actor, { get: (of, name) => (name === 'isActive' ? 1 : Reflect.get(of, name)) });
    const wrong = { groups: 'Leader' };
    const made = [heir, odd, structuredClone({ ...actor, ...wrong }), { ...actor, ...wrong }, [actor], () => actor];
    for (const value of made) expect(mayUpdate(value)).to.equal(false);
    for (const value of [actor, { ...actor }, structuredClone(actor), new Proxy(actor, {}), Object.create(actor)]) {
      expect(mayUpdate(value)).to.equal(true);
    }
    expect(mayUpdate(Object.create(actor, { divisionId: { value: OTHER } }))).to.equal(false);
  });

  it('keeps its own properties, session and origin', () => {
    const origin = { requestId: 'r', network: null };
    const value = { ...leader, sessionId: OTHER, origin, country: 'de' };
    expect(makeActor(value)).to.deep.equal(value);
  });
});
