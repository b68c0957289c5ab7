import { policyToJson, policyToText } from '@cedar-policy/cedar-wasm/nodejs';
import { expect } from 'chai';
import { reportCount } from '../../../../scripts/proof-counts.ts';
import { cedarPolicies, makeCedarModel, partsOf } from '../../../../test-support/authorization/cedar/model.ts';
import { expectedOutcome } from '../../../../test-support/authorization/cedar/outcome.ts';
import { runUseCase } from '../../../../test-support/authorization/cedar/run-use-case.ts';
import { type Situation, situations } from '../../../../test-support/authorization/cedar/situations.ts';
import { shareOf } from '../../../../test-support/share.ts';

/** A stride without a common factor with the number of situations, so that different situations come early. */
const STRIDE = 7919;
const mixed = situations.map((_, at) => situations[(at * STRIDE) % situations.length] as Situation);

const outcomes = new Map<Situation, string>();
const outcomeOf = async (situation: Situation): Promise<string> => {
  const outcome = outcomes.get(situation) ?? (await runUseCase(situation.stored, situation.request)).outcome;
  outcomes.set(situation, outcome);
  return outcome;
};

const isDetected = async (text: string): Promise<boolean> => {
  const model = makeCedarModel(text);
  for (const situation of mixed) {
    if (expectedOutcome(model, situation.stored, situation.request) !== (await outcomeOf(situation))) return true;
  }
  return false;
};

const parts = partsOf(cedarPolicies.contract);
const joined = (changed: string, text = ''): string =>
  [...parts].map(([id, part]) => (id === changed ? text : part.text)).join('\n');

/** Returns a policy without its conditions. */
const unconditional = (text: string): string => {
  const parsed = policyToJson(text);
  if (parsed.type === 'failure') throw new Error('the policy cannot be parsed');
  const written = policyToText({ ...parsed.json, conditions: [] });
  if (written.type === 'failure') throw new Error('the policy cannot be written');
  return written.text;
};

/** Equivalent, because these policies only cover callers who may update the user anyway. */
const EQUIVALENT = new Set(['profile: the user themself has no conditions', 'profile: Leader has no conditions']);

const removals = [...parts.keys()].map((id) => ({ what: `${id} is missing`, text: joined(id) }));
const widenings = [...parts]
  .filter(([, { text }]) => /\b(when|unless)\b/.test(text))
  .map(([id, { text }]) => ({ what: `${id} has no conditions`, text: joined(id, unconditional(text)) }));
const changes = [...removals, ...widenings].filter(({ what }) => !EQUIVALENT.has(what));

describe('The comparison with Cedar', function () {
  this.timeout(1_800_000);

  it('visits every situation', () => {
    expect(new Set(mixed).size).to.equal(situations.length);
  });

  it('detects the removal of each policy and of its conditions', async () => {
    const undetected: string[] = [];
    const tried = shareOf(changes, 12);
    for (const { what, text } of tried) if (!(await isDetected(text))) undetected.push(what);
    expect(undetected).to.deep.equal([]);
    reportCount(tried.length, 'wrong Cedar policies detected');
  });
});
