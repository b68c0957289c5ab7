import { expect } from 'chai';
import type { Pool, PoolClient } from 'pg';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { fill } from '../../../../test-support/lists/fill.ts';
import { makePool } from '../../src/connection/pool.ts';
import { namedStatements } from '../../src/connection/statement.ts';
import '../../src/users/user-directory.ts';

const MEMBERS = 30_000;

for (const layout of ['one', 'many'] as const) {
  describe(`A page of the directory of ${MEMBERS} members in ${layout} division${layout === 'one' ? '' : 's'}`, () => {
    const test = useTestDatabase((url) => fill(url, { layout, members: MEMBERS }));
    let pool: Pool;
    before(() => {
      pool = makePool({ url: test.url, poolSize: 1 });
    });
    after(() => pool?.end());

    const explainPage = async (client: PoolClient, name: string, values: readonly string[]): Promise<string> => {
      const text = namedStatements().find((one) => one.name === name)?.text;
      await client.query(`prepare explained as ${text}`);
      const quoted = values.map((value) => `'${value}'`).join(', ');
      const { rows } = await client.query<{ readonly 'QUERY PLAN': string }>(
        `explain (analyze, costs off, timing off, summary off) execute explained(${quoted})`,
      );
      await client.query('deallocate explained');
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };

    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      it(`reads 100 users in the order of an index with ${mode}`, async () => {
        const client = await pool.connect();
        await client.query(`set plan_cache_mode = ${mode}`);
        const { rows } = await client.query<{ readonly id: string; readonly division_id: string }>(
          `select id, division_id from user_account order by id offset ${MEMBERS / 2} limit 1`,
        );
        const { division_id: divisionId = '', id = '' } = rows[0] ?? {};
        for (const [name, values] of [
          ['page-of-users', [id]],
          ['page-from-division', [divisionId, id]],
        ] as const) {
          const plan = await explainPage(client, name, values);
          expect(plan).to.match(
            /Index Scan using user_account\w+ on user_account u \(actual rows=100(?:\.00)? loops=1\)/,
          );
          expect(plan).to.not.match(/Sort|Filter: .*u\./);
        }
        client.release();
      });
    }
  });
}
