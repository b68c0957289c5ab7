import {
  divisionListFields,
  divisionUserListFields,
  type ListField,
  listRules,
  operatorsOf,
  userListFields,
} from '@chapter/domain';
import { expect } from 'chai';
import { toWireName } from '../../src/errors/wire-names.ts';
import { makeServedChapter, type ServedChapter } from '../support/chapter.ts';
import { faultsOf } from '../support/send.ts';
import {
  ID,
  many,
  refusedByDivisionUsers,
  refusedById,
  refusedByText,
  refusedByUsers,
  refusedEverywhere,
} from './refused-parameters.ts';

const OPERATORS = ['in', 'lt', 'lte', 'gt', 'gte', 'icontains', 'istartswith', 'isnull'] as const;
interface Asked {
  readonly title: string;
  readonly fields: Readonly<Record<string, ListField>>;
  readonly filtered: boolean;
  readonly refused: readonly [string, string[]][];
  readonly path: (chapter: ServedChapter) => string;
  readonly as: (chapter: ServedChapter) => ServedChapter['leader'];
}

const lists: readonly Asked[] = [
  {
    title: 'The list of users',
    fields: userListFields,
    filtered: true,
    refused: refusedByUsers,
    path: () => '/api/users/',
    as: ({ leader }) => leader,
  },
  {
    title: 'The list of divisions',
    fields: divisionListFields,
    filtered: true,
    refused: [
      ...refusedByText('name'),
      ...refusedByText('logo'),
      ...refusedById('id'),
      ...['username', 'users', 'is_active', 'name__isnull'].map((name): [string, string[]] => [
        `${name}=x`,
        [`${name} unknown_parameter`],
      ]),
    ],
    path: () => '/api/divisions/',
    as: ({ admin }) => admin,
  },
  {
    title: 'The list of a division’s users',
    fields: divisionUserListFields,
    filtered: false,
    refused: refusedByDivisionUsers,
    path: ({ north }) => `/api/division/${north.id}/users/`,
    as: ({ guest }) => guest,
  },
];

const shownAs = (value: unknown): string => {
  if (Array.isArray(value)) return String(value[0]);
  return encodeURIComponent(String(typeof value === 'object' && value ? (value as { id: string }).id : value));
};

for (const { title, fields, filtered, refused, path, as } of lists) {
  describe(title, () => {
    let chapter: ServedChapter;
    before(async () => {
      chapter = await makeServedChapter();
      for (let at = 0; at < 6; at++) {
        await chapter.admit(`Member-${at}`, ['User', 'Guest'], {
          firstName: `Ö%_\\${at}`,
          lastName: 'Ähre',
          email: at % 2 ? `m${at}@x.org` : null,
          birthdate: at % 3 ? '2000-02-29' : null,
        });
      }
    });
    after(() => chapter?.close());
    const ask = (query: string) => chapter.get(`${path(chapter)}?${query}`, as(chapter));

    for (const [query, faults] of [...refusedEverywhere, ...refused]) {
      it(`rejects \`${query.slice(0, 60)}\``, async () => {
        const response = await ask(query);
        expect(response.status).to.equal(422);
        expect(response.body.code).to.equal('validation_failed');
        expect(faultsOf(response)).to.deep.equal(faults);
      });
    }

    it('has exactly the fields that it can be queried by', async () => {
      const { body } = await ask('');
      expect(Object.keys(body.results[0]).toSorted()).to.deep.equal(Object.keys(fields).map(toWireName).toSorted());
    });

    for (const [name, field] of Object.entries(fields)) {
      const wire = toWireName(name);

      it(`can be ordered by ${wire}, in both directions`, async () => {
        const [there, back] = [await ask(`ordering=${wire}`), await ask(`ordering=-${wire}`)];
        expect([there.status, back.status]).to.deep.equal([200, 200]);
        const ids = ({ body }: typeof there): string[] => body.results.map(({ id }: { id: string }) => id);
        expect(ids(back).toSorted()).to.deep.equal(ids(there).toSorted());
        if (!field.nullable) expect(ids(back)).to.deep.equal(ids(there).toReversed());
      });

      const applying = filtered ? operatorsOf(field) : [];
      it(`can be filtered by ${wire} with ${applying.join(', ') || 'nothing'}, and with no other operator`, async () => {
        const { body } = await ask('');
        const item = body.results.findLast((shown: Record<string, unknown>) => shown[wire] !== null);
        for (const operator of ['eq', ...OPERATORS] as const) {
          const parameter = operator === 'eq' ? wire : `${wire}__${operator}`;
          const response = await ask(`${parameter}=${operator === 'isnull' ? 'false' : shownAs(item?.[wire])}`);
          if (!applying.includes(operator)) {
            expect(faultsOf(response), parameter).to.deep.equal([`${parameter} unknown_parameter`]);
            continue;
          }
          expect(response.status, parameter).to.equal(200);
          const ids: string[] = response.body.results.map(({ id }: { id: string }) => id);
          expect(ids.includes(item?.id ?? ''), parameter).to.equal(
            item !== undefined && operator !== 'lt' && operator !== 'gt',
          );
        }
      });
    }

    it('rejects its own cursor if it was altered or is used with another order or search', async () => {
      const { body } = await ask('page_size=1');
      const cursor = new URL(body.next, 'http://x').searchParams.get('cursor') ?? '';
      const bent = [
        cursor.slice(0, -1),
        cursor.slice(1),
        cursor.slice(0, 10),
        `${cursor}A`,
        `${cursor}${cursor}`,
        `${cursor}=`,
        cursor.toUpperCase(),
        `${cursor}&ordering=-id`,
        `${cursor}&search=a`,
      ];
      for (const other of bent) {
        expect(faultsOf(await ask(`cursor=${other}`)), other).to.deep.equal(['cursor invalid_cursor']);
      }
      expect((await ask(`cursor=${cursor}&page_size=2&count=true`)).status).to.equal(200);
    });

    it('has the same count on every page, equal to the number of rows on all pages', async () => {
      const { body } = await ask('page_size=1&count=true');
      let met = body.results.length;
      for (let next = body.next; next; ) {
        const page = await chapter.get(next, as(chapter));
        expect(page.body.count).to.equal(body.count);
        met += page.body.results.length;
        next = page.body.next;
      }
      expect(met).to.equal(body.count);
    });

    it('suggests the nearest known name, if one is near', async () => {
      const detailOf = async (query: string): Promise<string> => (await ask(query)).body.errors[0].detail;
      expect(await detailOf('page_szie=1')).to.equal('unknown parameter `page_szie`; did you mean `page_size`?');
      expect(await detailOf('odering=id')).to.equal('unknown parameter `odering`; did you mean `ordering`?');
      expect(await detailOf('ordering=ids')).to.equal('unknown field `ids`; did you mean `id`?');
      for (const gap of ['', '-', 'id,', ',id']) {
        expect(await detailOf(`ordering=${gap}`)).to.equal(
          'contains an empty field name; use names such as `id` and `-id`',
        );
      }
      expect(await detailOf('xyzzy_plugh=1')).to.equal('unknown parameter `xyzzy_plugh`');
    });

    it('limits the number of values and the page size', async () => {
      expect((await ask(`page_size=${listRules.maxSize}`)).status).to.equal(200);
      if (filtered) expect((await ask(`id__in=${many(listRules.maxValues, () => ID)}`)).status).to.equal(200);
    });
  });
}
