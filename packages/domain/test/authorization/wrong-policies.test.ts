import { policyToJson, policyToText } from '@cedar-policy/cedar-wasm/nodejs';
import {
  appliesTo,
  type CedarParts,
  cedarModelOf,
  cedarPolicies,
  contractModel,
  partsOf,
} from '../../../../test-support/proof/model.ts';
import { expectedOutcome } from '../../../../test-support/proof/outcome.ts';
import { compare } from '../../../../test-support/proof/report.ts';
import {
  operatorSituations,
  type Situation,
  situations,
  tokenSituations,
} from '../../../../test-support/proof/situations.ts';

const parts = partsOf(cedarPolicies.contract);
const without = (id: string): CedarParts => new Map([...parts].filter(([other]) => other !== id));

/** Returns a policy without its conditions. */
const unconditional = (text: string): string => {
  const parsed = policyToJson(text);
  if (parsed.type === 'failure') throw new Error('the policy cannot be parsed');
  const written = policyToText({ ...parsed.json, conditions: [] });
  if (written.type === 'failure') throw new Error('the policy cannot be written');
  return written.text;
};

const removals = [...parts.keys()].map((id) => ({ what: `${id} is missing`, id, changed: without(id) }));
const widenings = [...parts]
  .filter(([, { text }]) => /\b(when|unless)\b/.test(text))
  .map(([id, { text }]) => ({
    what: `${id} has no conditions`,
    id,
    changed: new Map([...without(id), ...partsOf(unconditional(text))]),
  }));

/** Equivalent, because these policies only cover callers who may update the user anyway. */
const EQUIVALENT = new Set(['profile: the user themself has no conditions', 'profile: Leader has no conditions']);

/** A stride without a common factor with the number of situations, so that different situations come early. */
const STRIDE = 7919;

const all = [...situations, ...operatorSituations, ...tokenSituations];

/** The situations by the actions that decide on their outcome. */
const situationsByAction = (): ReadonlyMap<string, readonly Situation[]> => {
  const found = new Map<string, Situation[]>();
  for (let at = 0; at < all.length; at++) {
    const situation = all[(at * STRIDE) % all.length] as Situation;
    const asked = new Set<string>();
    const decide: typeof contractModel.decide = (request) => {
      asked.add(request.action);
      return contractModel.decide(request);
    };
    expectedOutcome({ ...contractModel, decide }, situation.stored, situation.request);
    for (const action of asked) {
      const those = found.get(action) ?? [];
      those.push(situation);
      found.set(action, those);
    }
  }
  return found;
};

// The test of the use cases compares the same situations, so it would fail with each of these policies.
describe('The comparison of all situations with Cedar', function () {
  this.timeout(1_800_000);

  it('differs for the removal of each policy and of its conditions', () =>
    compare('wrong Cedar policies detected', 60, ({ same }) => {
      const byAction = [...situationsByAction()];
      for (const { what, id, changed } of [...removals, ...widenings]) {
        const model = cedarModelOf(changed);
        const policy = parts.get(id)?.text ?? '';
        const relevant = byAction.flatMap(([action, those]) => (appliesTo(policy, action) ? those : []));
        const differs = ({ stored, request }: Situation): boolean =>
          expectedOutcome(model, stored, request) !== expectedOutcome(contractModel, stored, request);
        same(relevant.some(differs), !EQUIVALENT.has(what), what);
      }
    }));
});
