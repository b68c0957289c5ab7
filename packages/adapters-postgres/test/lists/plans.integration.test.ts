import { expect } from 'chai';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { listPageKinds } from '../../../../test-support/lists/all-page-kinds.ts';
import { explainPage, nodesOf, type PlanMode } from '../../../../test-support/lists/explain.ts';
import { fillLayout, FILLED_MEMBERS as MEMBERS } from '../../../../test-support/lists/fill.ts';
import { MEASURED_ID } from '../../../../test-support/lists/members.ts';
import { type PageGroup, type PageKind, readPageOf } from '../../../../test-support/lists/page-kinds.ts';
import { exceededLimits, indexesOf, rowsRead } from '../../../../test-support/lists/plan-limits.ts';
import { LIMITS } from '../../src/lists/plan.ts';
import { useReadPool } from '../support/use-read-pool.ts';

const MODES: readonly PlanMode[] = ['force_custom_plan', 'force_generic_plan'];

// Every group has a title, so every kind of page is checked.
const TITLES: Readonly<Record<PageGroup, string>> = {
  'first page': 'read a first page row by row along its order',
  'page at 90 %': 'read a page at 90 % of the depth row by row along its order',
  filters: 'look at few rows for a page that meets filters, and sort no more than a page',
  search: 'look at few rows for a page of words, and sort no more than a page',
  others: 'never read the whole table if the cost grows with the division',
  division: 'look at few rows for a page of the users of a division',
  divisions: 'look at few rows for a page of divisions',
};

for (const layout of ['one', 'many'] as const) {
  // `npm run bench:lists` checks the same limits with a million members.
  describe(`Plans of lists of ${MEMBERS} members in ${layout} division${layout === 'one' ? '' : 's'}`, () => {
    const test = useTestDatabase(fillLayout[layout]);
    const pool = useReadPool(() => test);
    let kinds: readonly PageKind[];

    before(async () => {
      kinds = await listPageKinds(pool(), layout);
    });

    for (const [group, title] of Object.entries(TITLES)) {
      if (group === 'divisions' && layout === 'one') continue;
      it(`${title}, with custom and generic plans`, async () => {
        const ofGroup = kinds.filter((one) => one.group === group);
        expect(ofGroup).to.not.be.empty;
        for (const kind of ofGroup) {
          for (const mode of MODES) {
            const explained = await explainPage(pool(), kind, mode);
            expect(exceededLimits(kind, explained), `${kind.query}, ${kind.about}, ${mode}`).to.deep.equal([]);
          }
        }
      });
    }

    const scansOf = async (query: string, about: string, mode: PlanMode) => {
      const kind = kinds.find((one) => one.query === query && one.about === about);
      const [first] = kind ? await explainPage(pool(), kind, mode) : [];
      if (!first) expect.fail('there is no such kind');
      return nodesOf(first.plan)
        .filter((node) => node['Index Name']?.startsWith('user_account') && node['Actual Loops'] > 0)
        .map((node) => [node['Node Type'], node['Index Name'], node['Actual Loops'], node['Heap Fetches'] ?? 'rows']);
    };

    for (const [query, about, index] of [
      ['ordering=date_joined', 'first page', 'user_account_listed'],
      ['ordering=date_joined', 'next, at 90 %', 'user_account_listed'],
      ['ordering=-date_joined', 'previous, at 90 %', 'user_account_listed'],
      ['is_active=true', 'nearly all', 'user_account_listed'],
      ['/api/division/{id}/users/', 'first page', 'user_account_username_key_order'],
      ['/api/division/{id}/users/', 'page at 90 %', 'user_account_username_key_order'],
    ] as const) {
      it(`read only the index: ${query}, ${about}`, async () => {
        for (const mode of MODES) {
          expect(await scansOf(query, about, mode), mode).to.deep.equal([['Index Only Scan', index, 1, 0]]);
        }
      });
    }

    it('search only the index of the default order, and read only the rows of the page', async () => {
      expect(await scansOf('search=example', 'nearly all', 'force_generic_plan')).to.deep.equal([
        ['Index Only Scan', 'user_account_date_joined_order', 1, 0],
        ['Index Scan', 'user_account_pkey', 51, 'rows'],
      ]);
    });

    if (layout === 'many') return;

    it('read only rows with the indexed characters of a short text, if few rows have them', async () => {
      for (const [query, letters] of [
        ['first_name__icontains=q&ordering=-email', ['q']],
        ['search=lj', ['j']],
        ['search=jq', ['j', 'q']],
      ] as const) {
        const { rows } = await pool().query<{ count: number }>(
          `select count(*)::int from user_account where division_id = $1 and string_to_array(search, null) @> $2`,
          [MEASURED_ID, letters],
        );
        const kind: PageKind = { group: 'others', query, about: '', read: readPageOf('users', query, null) };
        for (const mode of MODES) {
          const explained = await explainPage(pool(), kind, mode);
          const lookUp = explained.find((one) => indexesOf(one).includes('user_account_search'));
          const found = lookUp && nodesOf(lookUp.plan).find((node) => node['Node Type'] === 'Bitmap Heap Scan');
          expect(found?.['Actual Rows'], `${query}, ${mode}`).to.equal(rows[0]?.count);
        }
      }
    });

    it('look up no more rows than the limit for a word whose trigrams many rows have without the word', async () => {
      // Each address at example.org has all its trigrams.
      const query = 'search=org.example';
      const kind: PageKind = { group: 'others', query, about: 'none', read: readPageOf('users', query, null) };
      for (const mode of MODES) {
        const explained = await explainPage(pool(), kind, mode, { short: 5, small: 10, large: 1000 });
        const lookUps = explained.filter((one) => indexesOf(one).includes('user_account_search'));
        expect(lookUps.map(rowsRead), mode).to.deep.equal([1001]);
      }
    });

    it('read only rows of the division for an order without an index', async () => {
      const kind = kinds.find(({ query }) => query === 'ordering=groups');
      const explained = kind ? await explainPage(pool(), kind, 'force_generic_plan') : [];
      // The first statement exceeds the small limit. The second also reads the rows of the page.
      expect(explained.map(rowsRead)).to.deep.equal([LIMITS.small + 1, MEMBERS + 51]);
    });

    it('read no row after the last name that the largest page ends with, where an index has the last names', async () => {
      const kind = kinds.find(({ query }) => query === 'ordering=last_name,first_name');
      if (!kind) expect.fail('there is no such kind');
      const { rows } = await pool().query<{ up_to_it: number }>(
        `select count(*)::int as up_to_it from user_account where division_id = $1 and last_name_key <= (
          select last_name_key from user_account where division_id = $1 order by last_name_key offset 100 limit 1)`,
        [MEASURED_ID],
      );
      const [upToIt = 0] = rows.map((row) => row.up_to_it);
      expect(upToIt).to.be.within(101, MEMBERS / 10);
      for (const mode of MODES) {
        const explained = await explainPage(pool(), kind, mode, { short: 5, small: 10, large: LIMITS.large });
        const ofRows = explained.map(({ plan }) =>
          nodesOf(plan)
            .filter((node) => node['Index Name'] === 'user_account_last_name_key_order')
            .filter((node) => node['Node Type'] === 'Index Scan')
            .reduce((sum, node) => sum + node['Actual Rows'], 0),
        );
        // The first row after that name ends the last scan.
        expect(ofRows, mode).to.deep.equal([5, 10, upToIt + 1]);
      }
    });

    for (const [filter, side, sign] of [
      ['username__lte=zzzz', 'after', '-'],
      ['username__lte=zzzz', 'before', ''],
      ['username__gte=a', 'after', ''],
      ['username__gte=a', 'before', '-'],
      ['birthdate__lte=2010-01-01', 'after', '-'],
      ['birthdate__gte=1930-01-01', 'after', ''],
    ] as const) {
      const [field = ''] = filter.split('__');
      const query = `${filter}&ordering=${sign}${field}`;
      it(`start at the cursor, not at a filter of the same field: ${query}, ${side} the cursor`, async () => {
        const startsLow = filter.includes('gte');
        const value = field === 'birthdate' ? (startsLow ? '2000-01-01' : '1955-01-01') : startsLow ? 'wanda' : 'ben';
        const position = { side, inclusive: false, values: [value, MEASURED_ID] };
        const kind: PageKind = { group: 'others', query, about: side, read: readPageOf('users', query, position) };
        for (const mode of MODES) {
          const [explained] = await explainPage(pool(), kind, mode);
          // The rows of the page, each in a block of its own, and the way to them.
          expect(explained?.plan['Shared Hit Blocks'], mode).to.be.within(51, 80);
        }
      });
    }

    it('exceed the limits of the check without an index', async () => {
      const kind = kinds.find(({ query }) => query === 'ordering=last_name');
      if (!kind) expect.fail('there is no such kind');
      await pool().query('drop index user_account_last_name_key_order');
      const found = exceededLimits(kind, await explainPage(pool(), kind, 'force_generic_plan'));
      expect(found).to.include.members([
        `rows sorted: ${MEMBERS} instead of 0`,
        `rows read without a scan: ${MEMBERS} instead of 51`,
      ]);
    });
  });
}
