import { expect } from 'chai';
import { plantedBugs } from '../../../../test-support/proof/simulation/planted-bugs.ts';
import { type Simulated, simulate } from '../../../../test-support/proof/simulation/simulate.ts';

/** A share of the histories that `npm run prove` runs. Every planted bug must be found in them; most are within the first hundred. */
const HISTORIES = 1000;

/** Outcomes of commands that the histories must reach to be meaningful. */
const OUTCOMES = Object.entries({
  createUser: 'ok username_taken idempotency_conflict forbidden invalid_token',
  updateUser:
    'ok field_forbidden forbidden not_found validation_failed precondition_failed last_leader username_taken email_taken invalid_token unavailable',
  deleteUser: 'ok forbidden not_found precondition_failed last_leader invalid_token',
  updateDivision: 'ok name_taken',
  getUser: 'ok',
  logIn: 'ok invalid_credentials unavailable',
  refreshSession: 'ok invalid_token',
  endSession: 'ok',
  createPasswordLink: 'ok forbidden not_found invalid_token',
  redeemPasswordLink: 'ok invalid_token unavailable',
  moveUser: 'ok forbidden last_leader',
  linkUser: 'ok not_found',
  setUser: 'ok not_found last_leader',
}).flatMap(([command, outcomes]) => outcomes.split(' ').map((outcome) => `${command} ${outcome}`));

describe('Simulated histories of concurrent clients', function () {
  this.timeout(300_000);
  let simulated: Simulated;

  before(async () => {
    simulated = await simulate({ seed: 1, histories: HISTORIES });
  });

  it('agree with a sequential model', () => {
    expect(simulated.differences).to.deep.equal([]);
    expect(simulated.histories).to.equal(HISTORIES);
  });

  it('reach every outcome', () => {
    expect([...simulated.outcomes.keys()]).to.include.members(OUTCOMES);
  });

  it('include port calls that fail and port calls that run twice', () => {
    expect(simulated.failures).to.be.above(0);
    expect(simulated.repeats).to.be.above(0);
  });
});

describe('A simulation', function () {
  this.timeout(300_000);

  for (const [bug, plant] of Object.entries(plantedBugs)) {
    it(`finds ${bug}, and reproduces it from its seed`, async () => {
      const { differences } = await simulate({ seed: 1, histories: HISTORIES, plant, maxDifferences: 1 });
      const [found] = differences;
      if (!found) expect.fail(`no difference in ${HISTORIES} histories`);
      console.log(`      found by seed ${found.seed}`);
      expect((await simulate({ seed: found.seed, histories: 1, plant })).differences).to.deep.equal([found]);
      expect((await simulate({ seed: found.seed, histories: 1 })).differences).to.deep.equal([]);
    });
  }
});
