import { explain, makeFieldRights, OPERATOR, parseUuid, rule, targetTypes } from '@chapter/domain';
import { authorOf, readActor, readGroups } from '@chapter/domain/ports';
import { expect } from 'chai';
import { leader, OWN } from '../../../../test-support/proof/states.ts';
import { orNull } from '../../src/policy/rules.ts';

const target = { id: leader.id, divisionId: OWN, isStaff: false, isSuperuser: false };

describe('Reading', () => {
  it('an actor copies its own properties too, and a target only what rules read', () => {
    expect(readActor({ ...leader, more: 1 })).to.deep.equal({ ...leader, more: 1 });
    expect(readActor(Object.create({ ...leader, more: 1 }))).to.deep.equal(leader);
    const { user, division, service } = targetTypes;
    expect(user.read({ ...target, more: 1 })).to.deep.equal(target);
    expect(division.read(target)).to.deep.equal({ divisionId: OWN });
    expect(service.read(target)).to.deep.equal({});
  });

  it('groups reads no more elements than there are groups', () => {
    const read: unknown[] = [];
    const groups = new Proxy(['Leader', 'Guest', 'User', 'Leader'], {
      get: (of, name) => {
        read.push(name);
        return Reflect.get(of, name) as unknown;
      },
    });
    expect(readGroups(groups)).to.equal(null);
    expect(read).to.deep.equal(['length']);
  });

  it('a UUID matches the whole text', () => {
    for (const text of [`x${OWN}`, `${OWN}x`, `x${OWN.slice(1)}`, `${OWN.slice(0, -1)}x`, ''])
      expect(parseUuid(text)).to.equal(undefined);
    expect(parseUuid(OWN.toUpperCase())).to.equal(OWN);
  });

  it('anything returns null if it throws', () => {
    expect(orNull(() => JSON.parse('{') as unknown)).to.equal(null);
    expect(orNull(() => 1)).to.equal(1);
  });
});

describe('A nonexistent target', () => {
  it('is not found, unless it is the service itself, which always exists', () => {
    for (const absent of [null, undefined as never]) {
      expect(explain(leader, 'getUser', absent).reason).to.equal('the target does not exist');
    }
    expect(explain(leader, 'listGroups', null).outcome).to.equal('allowed');
  });

  it('gives no right to a field by any rule', () => {
    const { forbiddenFields } = makeFieldRights(targetTypes.user, { lastName: rule('anyone', () => true) });
    const sent = { lastName: 'L' };
    expect(forbiddenFields(leader, target, sent)).to.deep.equal([]);
    for (const absent of [null, { ...target, id: 'x' }])
      expect(forbiddenFields(leader, absent, sent)).to.have.length(1);
  });
});

describe('The author of a change', () => {
  it('is the operator at the command line, without a user id', () => {
    const operator = { kind: 'operator', userId: null, name: 'operator', requestId: null };
    expect(authorOf(OPERATOR)).to.deep.equal(operator).and.to.equal(OPERATOR);
  });

  it('has no request id outside a request', () => {
    const author = { userId: leader.id, name: 'leader' };
    expect(authorOf(leader)).to.deep.equal({ ...author, requestId: null, origin: undefined });
    const origin = { requestId: 'r', network: null };
    expect(authorOf({ ...leader, origin })).to.deep.equal({ ...author, requestId: 'r', origin });
  });
});
