import { expect } from 'chai';
import type { Pool } from 'pg';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { listPageKinds } from '../../../../test-support/lists/all-page-kinds.ts';
import { explainPage, type PlanMode, stepsOf } from '../../../../test-support/lists/explain.ts';
import { fill } from '../../../../test-support/lists/fill.ts';
import type { PageGroup, PageKind } from '../../../../test-support/lists/page-kinds.ts';
import { exceededLimits, indexesOf, rowsRead } from '../../../../test-support/lists/plan-limits.ts';
import { makePool } from '../../src/connection/pool.ts';
import { LIMITS } from '../../src/lists/plan.ts';

// `npm run bench:lists` checks the same limits with a million members.
const MEMBERS = 30_000;

const MODES: readonly PlanMode[] = ['force_custom_plan', 'force_generic_plan'];

// Every group has a title, so every kind of page is checked.
const TITLES: Readonly<Record<PageGroup, string>> = {
  'first page': 'read a first page row by row along its order',
  'page at 90 %': 'read a page at 90 % of the depth row by row along its order',
  filters: 'look at few rows for a page that meets filters, and sort no more than a page',
  search: 'look at few rows for a page of words, and sort no more than a page',
  others: 'never read the table as a whole where the cost grows with the division',
  division: 'look at few rows for a page of the users of a division',
  divisions: 'look at few rows for a page of divisions',
};

for (const way of ['one', 'many'] as const) {
  describe(`Plans of lists of ${MEMBERS} members in ${way} division${way === 'one' ? '' : 's'}`, () => {
    const test = useTestDatabase((url) => fill(url, { way, members: MEMBERS }));
    let pool: Pool;
    let kinds: readonly PageKind[];

    before(async () => {
      pool = makePool({ url: test.url, poolSize: 1 });
      kinds = await listPageKinds(pool, way);
    });
    after(() => pool?.end());

    for (const [group, title] of Object.entries(TITLES)) {
      if (group === 'divisions' && way === 'one') continue;
      it(`${title}, planned for the values or for all`, async () => {
        const ofGroup = kinds.filter((one) => one.group === group);
        expect(ofGroup).to.not.be.empty;
        for (const kind of ofGroup) {
          for (const mode of MODES) {
            const explained = await explainPage(pool, kind, mode);
            expect(exceededLimits(kind, explained), `${kind.query}, ${kind.about}, ${mode}`).to.deep.equal([]);
          }
        }
      });
    }

    const scansOf = async (query: string, about: string, mode: PlanMode) => {
      const kind = kinds.find((one) => one.query === query && one.about === about);
      const [first] = kind ? await explainPage(pool, kind, mode) : [];
      if (!first) expect.fail('there is no such kind');
      return stepsOf(first.plan)
        .filter((step) => step['Index Name']?.startsWith('user_account') && step['Actual Loops'] > 0)
        .map((step) => [step['Node Type'], step['Index Name'], step['Actual Loops'], step['Heap Fetches'] ?? 'rows']);
    };

    for (const [query, about] of [
      ['ordering=date_joined', 'first page'],
      ['ordering=date_joined', 'next, at 90 %'],
      ['ordering=-date_joined', 'previous, at 90 %'],
      ['is_active=true', 'nearly all'],
    ] as const) {
      it(`show what an index has, and read no row: ${query}, ${about}`, async () => {
        for (const mode of MODES) {
          expect(await scansOf(query, about, mode), mode).to.deep.equal([
            ['Index Only Scan', 'user_account_listed', 1, 0],
          ]);
        }
      });
    }

    it('look for a word in the index of the default order alone, and read no more rows than the page has', async () => {
      expect(await scansOf('search=example', 'nearly all', 'force_generic_plan')).to.deep.equal([
        ['Index Only Scan', 'user_account_date_joined_order', 1, 0],
        ['Index Scan', 'user_account_pkey', 51, 'rows'],
      ]);
    });

    if (way === 'many') return;

    it('scan for words, look up those that the scan does not find, and scan further for those without trigrams', async () => {
      const indexes: Record<string, readonly string[]> = {};
      for (const kind of kinds.filter(({ query }) => /^search=(?:quetzalj|example|zzqzzqzz|qq)$/.test(query))) {
        const explained = await explainPage(pool, kind, 'force_generic_plan');
        indexes[kind.query] = explained.flatMap((one) => indexesOf(one).find((name) => name.startsWith('user')) ?? []);
      }
      const [along, trigrams] = ['user_account_date_joined_order', 'user_account_search'];
      expect(indexes).to.deep.equal({
        'search=quetzalj': [along, along, trigrams],
        'search=example': [along],
        'search=zzqzzqzz': [along, along, trigrams],
        'search=qq': [along, along, along],
      });
    });

    it('read the rows of the division, and of no other, for an order without an index', async () => {
      const kind = kinds.find(({ query }) => query === 'ordering=groups');
      const explained = kind ? await explainPage(pool, kind, 'force_generic_plan') : [];
      // The small limit is not enough. Each adds the rows of the page.
      expect(explained.map(rowsRead)).to.deep.equal([LIMITS.small + 1, MEMBERS + 51]);
    });

    it('would be found out without an index', async () => {
      const kind = kinds.find(({ query }) => query === 'ordering=last_name');
      if (!kind) expect.fail('there is no such kind');
      await pool.query('drop index user_account_last_name_key_order');
      const found = exceededLimits(kind, await explainPage(pool, kind, 'force_generic_plan'));
      expect(found).to.include.members([
        `rows sorted: ${MEMBERS} instead of 0`,
        `rows read without a scan: ${MEMBERS} instead of 51`,
      ]);
    });
  });
}
