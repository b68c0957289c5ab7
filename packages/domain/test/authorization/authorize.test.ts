import {
  type Actor,
  anyOf,
  asTarget,
  authorize,
  authorizedUser,
  authorizeFields,
  DomainError,
  ownDivision,
  rule,
  type User,
} from '@chapter/domain';
import { aLeader, aUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { idNamed, leader, OTHER, OWN } from '../../../../test-support/authorization/states.ts';

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

  it('lets the allowed through', () => {
    expect(attempt(leader, OWN)).not.to.throw();
  });

  it('refuses nobody and the inactive as if they had no valid token', () => {
    expect(refusal(attempt(null, OWN)).code).to.equal('invalid_token');
    expect(refusal(attempt({ ...leader, isActive: false }, OWN)).code).to.equal('invalid_token');
  });

  it('says to those who may know of the target which rule is missing', () => {
    const error = refusal(attempt({ ...leader, groups: ['User'] }, OWN));
    expect(error.code).to.equal('forbidden');
    expect(error.message).to.equal('only a Leader of the division may do this');
  });

  it('refuses what is hidden with the very error of what is not there', () => {
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

  it('answers the user whom the actor may do this to', () => {
    expect(authorizedUser(leader, 'updateUser', user)).to.equal(user);
    expect(authorizedUser(user, 'getUser', user)).to.equal(user);
  });

  it('refuses what the policy refuses, and nobody in its words', () => {
    const guest: Actor = { ...leader, groups: ['Guest'] };
    expect(refusal(() => authorizedUser(guest, 'updateUser', user)).code).to.equal('forbidden');
    const elsewhere: Actor = { ...leader, divisionId: OTHER };
    expect(refusal(() => authorizedUser(elsewhere, 'getUser', user)).code).to.equal('not_found');
    expect(refusal(() => authorizedUser(leader, 'getUser', null)).code).to.equal('not_found');
  });
});

describe('authorizeFields', () => {
  const self = { id: leader.id, divisionId: OWN, isStaff: false, isSuperuser: false };

  it('lets the writable through', () => {
    expect(() => authorizeFields(leader, self, { username: 'x', groups: [] })).not.to.throw();
    expect(() => authorizeFields(leader, self, {})).not.to.throw();
  });

  it('refuses with all that may not be written, and those alone', () => {
    const sent = { username: 'x', groups: [], isActive: true, unheardOf: 1 };
    const error = refusal(() => authorizeFields({ ...leader, groups: [] }, self, sent));
    expect(error.code).to.equal('field_forbidden');
    expect(error.faults.map(({ field }) => field)).to.deep.equal(['groups', 'isActive']);
  });
});

describe('The division whose users a caller may list or create', () => {
  it('is their own', () => {
    expect(ownDivision(leader, 'createUser')).to.equal(OWN);
    expect(ownDivision({ ...leader, groups: ['Guest'], divisionId: OTHER }, 'listUsers')).to.equal(OTHER);
  });

  it('is refused to those whose groups do not allow it', () => {
    expect(refusal(() => ownDivision({ ...leader, groups: ['Guest'] }, 'createUser')).code).to.equal('forbidden');
    expect(refusal(() => ownDivision(null, 'listUsers')).code).to.equal('invalid_token');
  });

  it('is not there for one whose division is gone', () => {
    for (const actor of [leader, { ...leader, isStaff: true }]) {
      const error = refusal(() => ownDivision({ ...actor, divisionId: null }, 'createUser'));
      expect(error.code).to.equal(actor.isStaff ? 'forbidden' : 'not_found');
    }
  });
});

describe('A stored user', () => {
  it('is a target by id, division and flags', () => {
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

describe('Any of some rules', () => {
  const [one, two, three] = ['one', 'two', 'three'].map((name) => rule(name, (actor) => actor.id === name));
  if (!one || !two || !three) throw new Error('there are three');

  it('allows whomever one of them allows', () => {
    const any = anyOf(one, two);
    expect(['one', 'two', 'three'].map((id) => any({ ...leader, id }, {}))).to.deep.equal([true, true, false]);
  });

  it('names them all', () => {
    expect(anyOf(one).description).to.equal('one');
    expect(anyOf(one, two).description).to.equal('one or two');
    expect(anyOf(one, two, three).description).to.equal('one, two or three');
  });
});
