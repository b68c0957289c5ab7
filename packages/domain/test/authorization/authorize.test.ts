import { type Actor, anyOf, DomainError, rule } from '@chapter/domain';
import { expect } from 'chai';
import { leader, OTHER, OWN } from '../../../../test-support/proof/states.ts';
import { authorize, idIn, ownDivision } from '../../src/policy/authorize.ts';
import { authorizeFields } from '../../src/policy/fields.ts';

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

describe('authorizeFields', () => {
  const self = { id: leader.id, divisionId: OWN, isStaff: false, isSuperuser: false };

  it('names the missing rule, for a division in words that also fit a creation', () => {
    const user = { ...leader, groups: [] };
    const detailsOf = (sent: Record<string, unknown>) =>
      refusal(() => authorizeFields(user, self, sent)).faults.map(({ detail }) => detail);
    expect(detailsOf({ groups: [], division: OTHER })).to.deep.equal([
      'may be written only by a Leader of the division',
      'may be written only by the user themself or a Leader of the division, and only with the id of that division',
    ]);
  });

  it('leaves a division that is no id to the field checks', () => {
    for (const division of ['x', 7]) expect(() => authorizeFields(leader, self, { division })).not.to.throw();
  });
});

describe('The division in which a caller may list or create users', () => {
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

describe('anyOf', () => {
  const [one, two, three] = ['one', 'two', 'three'].map((name) => rule(name, (actor) => actor.id === name));
  if (!one || !two || !three) throw new Error('expected three rules');

  it('describes all rules', () => {
    expect(anyOf(one).description).to.equal('one');
    expect(anyOf(one, two).description).to.equal('one or two');
    expect(anyOf(one, two, three).description).to.equal('one, two or three');
  });
});
