import { expect } from 'chai';
import type { Pool } from 'pg';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { fillLayout } from '../../../../test-support/lists/fill.ts';
import { makePool } from '../../src/connection/pool.ts';
import { runnerOn } from '../../src/connection/runner.ts';
import type { Runner } from '../../src/connection/statement.ts';
import { makeUserLookUps } from '../../src/users/user-look-ups.ts';

/** Small batches, for which PostgreSQL estimates a custom plan as cheaper than the generic plan. */
const SIZES = [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3];
/** The number of executions that PostgreSQL plans with their values before it compares costs. */
const CUSTOM_PLANS = 5;

const START_SESSIONS = `insert into session (id, user_id, started_at, expires_at)
  select gen_random_uuid(), id, now(), now() + interval '1 day' from user_account where is_active
  returning user_id, id as session_id`;
const PLANS = `select custom_plans::int, generic_plans::int from pg_prepared_statements where name = $1`;

describe('A look-up of a batch', () => {
  const test = useTestDatabase(fillLayout.many);
  let pool: Pool;
  let runner: Runner;
  let callers: readonly (readonly [userId: string, sessionId: string])[];

  before(async () => {
    pool = makePool({ url: test.url, poolSize: 1 });
    runner = runnerOn(pool);
    callers = await runner.query<readonly [string, string]>({ text: START_SESSIONS }, []);
    await runner.query({ text: 'analyze session' }, []);
  });
  after(() => pool?.end());

  /** Looks up a batch of each of the {@link SIZES}. */
  const lookUpBatches = async (lookUp: (caller: (typeof callers)[number]) => Promise<unknown>): Promise<void> => {
    for (const size of SIZES) {
      const found = await Promise.all(callers.slice(0, size).map(lookUp));
      expect(found).to.have.lengthOf(size).and.not.include(null);
    }
  };
  const plansOf = (name: string) => runner.query<readonly [number, number]>({ text: PLANS }, [name]);

  it('is not planned again for each batch', async () => {
    const { actors, find } = makeUserLookUps(runner);
    await lookUpBatches(async ([userId, sessionId]) => {
      const [actor, user] = await Promise.all([actors.find(userId, sessionId), find(userId)]);
      return actor && user;
    });
    await lookUpBatches(([userId, sessionId]) => actors.find(userId, sessionId));
    for (const name of ['find-callers-and-users', 'find-callers']) {
      expect(await plansOf(name), name).to.deep.equal([[CUSTOM_PLANS, SIZES.length - CUSTOM_PLANS]]);
    }
  });
});
