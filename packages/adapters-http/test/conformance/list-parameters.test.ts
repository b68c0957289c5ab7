import {
  divisionListFields,
  divisionUserListFields,
  type ListField,
  operatorsOf,
  userListFields,
} from '@chapter/domain/api';
import { expect } from 'chai';
import { toWireName } from '../../src/errors/faults.ts';
import { type ServedChapter, useServedChapter } from '../support/chapter.ts';
import { faultsOf } from '../support/send.ts';

const OPERATORS = ['in', 'lt', 'lte', 'gt', 'gte', 'icontains', 'istartswith', 'isnull'] as const;
type Of<T> = (chapter: ServedChapter) => T;

/** The lists: whether they can be filtered, their paths, and callers who may read them. */
const lists: readonly [
  string,
  Readonly<Record<string, ListField>>,
  boolean,
  Of<string>,
  Of<ServedChapter['leader']>,
][] = [
  ['The list of users', userListFields, true, () => '/api/users/', ({ leader }) => leader],
  ['The list of divisions', divisionListFields, true, () => '/api/divisions/', ({ admin }) => admin],
  [
    'The list of a division’s users',
    divisionUserListFields,
    false,
    ({ north }) => `/api/division/${north.id}/users/`,
    ({ guest }) => guest,
  ],
];

const shownAs = (value: unknown): string => {
  if (Array.isArray(value)) return String(value[0]);
  return encodeURIComponent(String(typeof value === 'object' && value ? (value as { id: string }).id : value));
};

for (const [title, fields, filtered, path, as] of lists) {
  describe(title, () => {
    const chapter = useServedChapter();
    before(async () => {
      for (let at = 0; at < 6; at++) {
        await chapter.admit(`Member-${at}`, ['User', 'Guest'], {
          firstName: `Ö%_\\${at}`,
          lastName: 'Ähre',
          email: at % 2 ? `m${at}@x.org` : null,
          birthdate: at % 3 ? '2000-02-29' : null,
        });
      }
    });
    const ask = (query: string) => chapter.get(`${path(chapter)}?${query}`, as(chapter));

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
  });
}
