import { type Actor, anyOf, asTarget, DomainError, rule, type User } from '@chapter/domain';
import { authorize, authorizeFields, type SentFields } from '@chapter/domain/api';
import { aLeader, aUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { idNamed, leader, OTHER, OWN } from '../../../../test-support/proof/states.ts';
import { authorizedUser, idIn, ownDivision } from '../../src/policy/authorize.ts';

const refusal = (attempt: () => unknown): DomainError => {
  try {
    attempt();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  return expect.fail('was allowed');
};

describe('authorize', () => {
  const attempt = (actor: Actor | null, divisionId: string | null) => () =>
    authorize(actor, 'updateDivision', divisionId === null ? null : { divisionId });

  it('does not throw for an allowed action', () => {
    expect(attempt(leader, OWN)).not.to.throw();
  });

  it('throws invalid_token without an actor and for an inactive actor', () => {
    expect(refusal(attempt(null, OWN)).code).to.equal('invalid_token');
    expect(refusal(attempt({ ...leader, isActive: false }, OWN)).code).to.equal('invalid_token');
  });

  it('throws forbidden with the missing rule if the actor may know of the target', () => {
    const error = refusal(attempt({ ...leader, groups: ['User'] }, OWN));
    expect(error.code).to.equal('forbidden');
    expect(error.message).to.equal('only a Leader of the division may do this');
  });

  it('throws the same error for a hidden target and a nonexistent one', () => {
    const [hidden, absent] = [refusal(attempt(leader, OTHER)), refusal(attempt(leader, null))];
    expect(hidden.code).to.equal('not_found');
    expect(hidden.message).to.equal(absent.message);
    expect(Object.entries(hidden)).to.deep.equal(Object.entries(absent));
  });
});

describe('authorizedUser', () => {
  const user = {
    ...leader,
    id: idNamed('user'),
    username: 'user',
    groups: ['User'],
    email: null,
    firstName: '',
    lastName: '',
    birthdate: null,
    division: { id: OWN, name: 'North' },
    dateJoined: '2024-01-01T00:00:00.000Z',
    revision: '1.1',
  } as const satisfies User;

  it('returns the user if the action is allowed', () => {
    expect(authorizedUser(leader, 'updateUser', user)).to.equal(user);
    expect(authorizedUser(user, 'getUser', user)).to.equal(user);
  });

  it('throws the error of the policy, and not_found without a user', () => {
    const guest: Actor = { ...leader, groups: ['Guest'] };
    expect(refusal(() => authorizedUser(guest, 'updateUser', user)).code).to.equal('forbidden');
    const elsewhere: Actor = { ...leader, divisionId: OTHER };
    expect(refusal(() => authorizedUser(elsewhere, 'getUser', user)).code).to.equal('not_found');
    expect(refusal(() => authorizedUser(leader, 'getUser', null)).code).to.equal('not_found');
  });
});

describe('authorizeFields', () => {
  const self = { id: leader.id, divisionId: OWN, isStaff: false, isSuperuser: false };

  it('does not throw for fields that the actor may write', () => {
    expect(() => authorizeFields(leader, self, { username: 'x', groups: [] })).not.to.throw();
    expect(() => authorizeFields(leader, self, {})).not.to.throw();
  });

  it('names the missing rule, for a division in words that also fit a creation', () => {
    const user = { ...leader, groups: [] };
    const detailsOf = (sent: SentFields) =>
      refusal(() => authorizeFields(user, self, sent)).faults.map(({ detail }) => detail);
    expect(detailsOf({ groups: [], division: OTHER })).to.deep.equal([
      'may be written only by a Leader of the division',
      'may be written only by the user themself or a Leader of the division, and only with the id of that division',
    ]);
  });

  it('leaves a division that is no id to the field checks', () => {
    for (const division of ['x', 7]) expect(() => authorizeFields(leader, self, { division })).not.to.throw();
  });

  it('throws with all forbidden fields and no others', () => {
    const sent = { username: 'x', groups: [], isActive: true, unheardOf: 1 };
    const error = refusal(() => authorizeFields({ ...leader, groups: [] }, self, sent));
    expect(error.code).to.equal('field_forbidden');
    expect(error.faults.map(({ field }) => field)).to.deep.equal(['groups', 'isActive']);
  });
});

describe('The division in which a caller may list or create users', () => {
  it('is their own', () => {
    expect(ownDivision(leader, 'createUser')).to.equal(OWN);
    expect(ownDivision({ ...leader, groups: ['Guest'], divisionId: OTHER }, 'listUsers')).to.equal(OTHER);
  });

  it('is refused if no group of the caller allows the action', () => {
    expect(refusal(() => ownDivision({ ...leader, groups: ['Guest'] }, 'createUser')).code).to.equal('forbidden');
    expect(refusal(() => ownDivision(null, 'listUsers')).code).to.equal('invalid_token');
  });

  it('is not found if the division of the caller was deleted', () => {
    for (const actor of [leader, { ...leader, isStaff: true }]) {
      const error = refusal(() => ownDivision({ ...actor, divisionId: null }, 'createUser'));
      expect(error.code).to.equal(actor.isStaff ? 'forbidden' : 'not_found');
    }
  });
});

describe('The id that a scope consists of', () => {
  it('is absent from an empty scope, and refuses a scope of anything else', () => {
    expect([idIn([{ divisionId: OWN }], 'divisionId'), idIn('none', 'divisionId')]).to.deep.equal([OWN, undefined]);
    const twice = [{ divisionId: OWN }, { divisionId: OTHER }];
    const others = [
      'all',
      [],
      [{}],
      twice,
      [{ divisionId: OWN, id: OWN }],
      [{ id: OWN }],
      [{ divisionId: null }],
    ] as const;
    for (const set of others) expect(() => idIn(set, 'divisionId')).to.throw(TypeError, 'a scope of one divisionId');
  });
});

describe('asTarget', () => {
  it('returns id, division and flags of a user', () => {
    const { id, division } = aLeader();
    for (const flags of [
      { isStaff: true, isSuperuser: false },
      { isStaff: false, isSuperuser: true },
    ]) {
      const user = { ...aUser(), id, division, ...flags };
      expect(asTarget(user)).to.deep.equal({ id, divisionId: division.id, ...flags });
    }
  });
});

describe('anyOf', () => {
  const [one, two, three] = ['one', 'two', 'three'].map((name) => rule(name, (actor) => actor.id === name));
  if (!one || !two || !three) throw new Error('expected three rules');

  it('allows what any of the rules allows', () => {
    const any = anyOf(one, two);
    expect(['one', 'two', 'three'].map((id) => any({ ...leader, id }, {}))).to.deep.equal([true, true, false]);
  });

  it('describes all rules', () => {
    expect(anyOf(one).description).to.equal('one');
    expect(anyOf(one, two).description).to.equal('one or two');
    expect(anyOf(one, two, three).description).to.equal('one, two or three');
  });
});
