import { contractModel } from '../../../../test-support/proof/model.ts';
import { expectedOutcome } from '../../../../test-support/proof/outcome.ts';
import { compare, reportCount } from '../../../../test-support/proof/report.ts';
import { runUseCase } from '../../../../test-support/proof/run-use-case.ts';
import { shareOf } from '../../../../test-support/proof/share.ts';
import {
  expectedRaceOutcome,
  makeOperatorRaces,
  makeRaces,
  operatorSituations,
  type Situation,
  situations,
  tokenSituations,
} from '../../../../test-support/proof/situations.ts';

/** Outcomes of the first authorization, which happens before the body is read. */
const WITHOUT_BODY = new Set(['unauthenticated', 'forbidden', 'not_found', 'read_only_token']);

describe('The use cases, compared with Cedar', function () {
  this.timeout(1_800_000);

  it('authorize again, and write nothing if refused, when rights changed between request and transaction', async () => {
    let lost = 0;
    const compared = [...shareOf(makeRaces(), 151), ...makeOperatorRaces()];
    await compare('outcomes with changes before the transaction compared with Cedar', 1500, async ({ same }) => {
      for (const race of compared) {
        const { stored, request, later } = race;
        const expected = expectedRaceOutcome(contractModel, race);
        const { outcome, hasWritten } = await runUseCase(stored, request, later);
        same([outcome, hasWritten && expected !== 'allowed'], [expected, false], race);
        if (expected !== 'allowed' && expectedOutcome(contractModel, stored, request) === 'allowed') lost += 1;
      }
    });
    reportCount(lost, 'outcomes in which the change took the right away', 500);
  });

  const compareSituations = (what: string, minimum: number, compared: readonly Situation[]): Promise<void> =>
    compare(what, minimum, async ({ same }) => {
      for (const { stored, request } of compared) {
        const expected = expectedOutcome(contractModel, stored, request);
        const { outcome, bodyWasRead, hasWritten } = await runUseCase(stored, request);
        const tooEarly = bodyWasRead && WITHOUT_BODY.has(expected);
        same([outcome, tooEarly, hasWritten && expected !== 'allowed'], [expected, false, false], { stored, request });
      }
    });

  it('end every request of every caller as the policies decide, and read no body and write nothing before', () =>
    compareSituations('outcomes of use cases compared with Cedar', 30_000, [...operatorSituations, ...situations]));

  it('end every request with a personal access token as the policies decide', () =>
    compareSituations('outcomes with personal access tokens compared with Cedar', 30_000, tokenSituations));
});
