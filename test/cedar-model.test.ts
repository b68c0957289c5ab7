import { checkParsePolicySet, validate } from '@cedar-policy/cedar-wasm/nodejs';
import { expect } from 'chai';
import {
  cedarActions,
  cedarPolicies,
  cedarSchema,
  makeCedarModel,
  partsOf,
} from '../test-support/authorization/cedar/model.ts';
import { expectedOutcome, type Stored } from '../test-support/authorization/cedar/outcome.ts';
import { OTHER, OWN } from '../test-support/authorization/states.ts';

const faultsOf = (text: string): readonly string[] => {
  const answer = validate({ schema: cedarSchema, policies: { staticPolicies: text } });
  if (answer.type === 'failure') return answer.errors.map(({ message }) => message);
  return [...answer.validationErrors, ...answer.validationWarnings].map(({ error }) => error.message);
};

for (const [name, text] of Object.entries(cedarPolicies)) {
  describe(`The Cedar policies of the ${name}`, () => {
    it('are valid for the schema', () => {
      expect(faultsOf(text)).to.deep.equal([]);
    });

    it('each state a sentence and have a unique id', () => {
      const written = text.match(/^(permit|forbid)\b/gm) ?? [];
      expect([...partsOf(text).keys()])
        .to.have.length(written.length)
        .and.not.include('');
      for (const [id, { annotations }] of partsOf(text))
        expect(annotations, id).to.have.any.keys('sentence', 'reading');
    });
  });
}

describe('The Cedar schema', () => {
  it('makes policies invalid that name an unknown action or attribute', () => {
    expect(faultsOf('permit (principal, action == Action::"promote", resource);')).to.have.length.above(0);
    expect(faultsOf('permit (principal, action, resource) when { principal.is_leader };')).to.have.length.above(0);
  });

  it('gives each action the type of its targets', () => {
    expect(cedarActions).to.include({ getUser: 'User', createUser: 'Division', getInfo: 'Chapter' });
  });
});

describe('A model of Cedar policies', () => {
  const member = { divisionId: OWN, groups: [], isActive: true, isStaff: false, isSuperuser: false };
  const stored: Stored = { divisions: [OWN, OTHER], users: { lead: { ...member, groups: ['Leader'] }, one: member } };
  const asked = { caller: 'lead', action: 'updateUser', target: 'one' };

  it('reports all refused fields of a request', () => {
    const model = makeCedarModel(cedarPolicies.contract);
    const outcome = (body: object, caller = 'lead') =>
      expectedOutcome(model, stored, { ...asked, caller, body: { ...body }, currentPassword: 'right' });
    expect(outcome({ groups: [], division: OWN, password: 'x' })).to.equal('allowed');
    expect(outcome({ id: 1, is_staff: true })).to.equal('validation_failed: id read_only, is_staff read_only');
    expect(outcome({ division: OTHER, id: 1 })).to.equal('field_forbidden: division');
    expect(outcome({ password: 'x' }, 'one')).to.equal('validation_failed: current_password required');
    expect(outcome({ password: 'x', current_password: 'y' }, 'one')).to.equal(
      'validation_failed: current_password incorrect',
    );
    expect(outcome({ groups: [], is_active: true }, 'one')).to.equal('field_forbidden: groups, is_active');
  });

  it('asks Cedar once for the same question', () => {
    const model = makeCedarModel(cedarPolicies.contract);
    expectedOutcome(model, stored, asked);
    const evaluated = model.evaluated();
    expectedOutcome(model, stored, asked);
    expect(model.evaluated()).to.equal(evaluated).and.to.be.greaterThan(0);
  });

  it('throws if a policy cannot be parsed or evaluated', () => {
    expect(() => makeCedarModel('permit (principal, action, resource')).to.throw('unexpected end of input');
    expect(checkParsePolicySet({ staticPolicies: 'permit (' }).type).to.equal('failure');
    const needsTarget = makeCedarModel('@id("x") permit (principal, action, resource) when { resource.is_active };');
    expect(() => expectedOutcome(needsTarget, stored, asked)).to.throw('x: ');
  });

  it('throws for an action that the schema does not have', () => {
    const model = makeCedarModel(cedarPolicies.contract);
    expect(() => expectedOutcome(model, stored, { ...asked, action: 'promote' })).to.throw('promote');
  });
});
