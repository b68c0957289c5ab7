import { checkParsePolicySet, validate } from '@cedar-policy/cedar-wasm/nodejs';
import { expect } from 'chai';
import { atLeast } from '../test-support/counts.ts';
import { cedarActions, cedarPolicies, cedarSchema, makeCedarModel, partsOf } from '../test-support/proof/model.ts';
import { expectedOutcome, type Stored } from '../test-support/proof/outcome.ts';
import { OTHER, OWN } from '../test-support/proof/states.ts';

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
      const written = atLeast(15, text.match(/^(permit|forbid)\b/gm) ?? []);
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
