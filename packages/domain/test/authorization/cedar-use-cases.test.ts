import { expect } from 'chai';
import { reportCount } from '../../../../scripts/proof-counts.ts';
import { cedarPolicies, makeCedarModel } from '../../../../test-support/authorization/cedar/model.ts';
import { expectedOutcome } from '../../../../test-support/authorization/cedar/outcome.ts';
import { runUseCase } from '../../../../test-support/authorization/cedar/run-use-case.ts';
import { expectedRaceOutcome, makeRaces, situations } from '../../../../test-support/authorization/cedar/situations.ts';
import { shareOf } from '../../../../test-support/share.ts';

const model = makeCedarModel(cedarPolicies.contract);
/** Outcomes of the first authorization, which happens before the body is read. */
const WITHOUT_BODY = new Set(['unauthenticated', 'forbidden', 'not_found']);

describe('The use cases, compared with Cedar', function () {
  this.timeout(1_800_000);

  it('end every request of every caller as the policies decide', async () => {
    const differences: object[] = [];
    const compared = shareOf(situations, 23);
    for (const { stored, request } of compared) {
      const expected = expectedOutcome(model, stored, request);
      const { outcome, bodyWasRead } = await runUseCase(stored, request);
      const readTooEarly = bodyWasRead && WITHOUT_BODY.has(expected);
      if (outcome !== expected || readTooEarly) differences.push({ stored, request, expected, outcome, bodyWasRead });
    }
    expect(differences.slice(0, 5), `${differences.length} differences`).to.deep.equal([]);
    reportCount(compared.length, 'outcomes of use cases compared with Cedar');
  });

  it('authorize again if rights changed between request and transaction', async () => {
    const differences: object[] = [];
    const compared = shareOf(makeRaces(), 151);
    let lost = 0;
    for (const race of compared) {
      const { stored, request, later } = race;
      const before = expectedOutcome(model, stored, request);
      const expected = expectedRaceOutcome(model, race);
      const { outcome } = await runUseCase(stored, request, later);
      if (outcome !== expected) differences.push({ stored, request, later, expected, outcome });
      if (before === 'allowed' && expected !== 'allowed') lost += 1;
    }
    expect(differences.slice(0, 5), `${differences.length} differences`).to.deep.equal([]);
    reportCount(compared.length, 'outcomes with changes before the transaction compared with Cedar');
    reportCount(lost, 'outcomes in which the change took the right away');
  });
});
