import { expect } from 'chai';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { explainStatements, nodesOf } from '../../../../test-support/lists/explain.ts';
import { fill, fillActivity } from '../../../../test-support/lists/fill.ts';
import { MEASURED_ID } from '../../../../test-support/lists/members.ts';
import { countMembers } from '../../src/users/user-directory.ts';
import { useReadPool } from '../support/use-read-pool.ts';

const POPULATION = { layout: 'one', members: 3000, others: 9000 } as const;

describe('The count of the members of a division', () => {
  const test = useTestDatabase(async (url) => {
    await fill(url, POPULATION);
    await fillActivity(url);
  });
  const pool = useReadPool(() => test);

  for (const mode of ['force_custom_plan', 'force_generic_plan'] as const) {
    for (const [limit, members] of [
      [null, POPULATION.members],
      [1000, 1000],
    ] as const) {
      it(`reads only an index and the activity of ${members} members (${mode})`, async () => {
        const [count] = await explainStatements(pool(), mode, (runner) =>
          countMembers(runner, MEASURED_ID, { joinedSince: '2025-01-01', dormantOn: '2025-06-01', limit }),
        );
        const scans = nodesOf(count?.plan ?? expect.fail())
          .filter((node) => node['Node Type'].includes('Scan') && node['Relation Name'])
          .map((node) => [node['Node Type'], node['Index Name'], node['Actual Rows'] * node['Actual Loops']]);
        expect(scans).to.deep.equal([
          ['Index Only Scan', 'user_account_listed', members],
          ['Index Scan', 'user_activity_pkey', members],
        ]);
      });
    }
  }
});
