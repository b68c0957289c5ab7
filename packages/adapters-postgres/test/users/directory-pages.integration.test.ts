import { expect } from 'chai';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { explainStatements, nodesOf } from '../../../../test-support/lists/explain.ts';
import { FILLED_MEMBERS, fillLayout } from '../../../../test-support/lists/fill.ts';
import { makeUserDirectory } from '../../src/users/user-directory.ts';
import { useReadPool } from '../support/use-read-pool.ts';

const unused = () => expect.fail('a page needs one statement');

for (const layout of ['one', 'many'] as const) {
  describe(`A page of the directory of ${FILLED_MEMBERS} members in ${layout} division${layout === 'one' ? '' : 's'}`, () => {
    const test = useTestDatabase(fillLayout[layout]);
    const pool = useReadPool(() => test);

    for (const mode of ['force_custom_plan', 'force_generic_plan'] as const) {
      it(`reads 100 users in the order of an index with ${mode}`, async () => {
        const { rows } = await pool().query<{ readonly id: string; readonly division_id: string }>(
          `select id, division_id from user_account order by id offset ${FILLED_MEMBERS / 2} limit 1`,
        );
        const { division_id: divisionId = '', id = '' } = rows[0] ?? {};
        const explained = await explainStatements(pool(), mode, async (runner) => {
          const directory = makeUserDirectory(runner, unused, unused);
          for (const from of [null, divisionId]) await directory.page(from, id);
        });
        expect(explained).to.have.lengthOf(2);
        for (const nodes of explained.map(({ plan }) => nodesOf(plan))) {
          const [scan, ...others] = nodes.filter((node) => node['Relation Name'] === 'user_account');
          expect(others).to.deep.equal([]);
          expect(scan).to.include({ 'Node Type': 'Index Scan', 'Actual Rows': 100, 'Actual Loops': 1 });
          expect(scan).to.not.have.property('Filter');
          expect(nodes.map((node) => node['Node Type']).join()).to.not.include('Sort');
        }
      });
    }
  });
}
