import {
  completeOrder,
  foldCase,
  type ListField,
  type ListValue,
  type Position,
  userListFields,
} from '@chapter/domain/api';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { runs } from '../../../../test-support/properties.ts';
import { encodeCursor, maxCursorLength } from '../../src/lists/cursor.ts';
import { divisionListParameters, type ListParameters, userListParameters } from '../../src/lists/list-parameters.ts';
import { MAX_QUERY_BYTES_WITH_CURSOR, withoutCursor } from '../../src/lists/query-string.ts';
import { envelope } from '../../src/routes/list-route.ts';
import { MAX_HEADER_BYTES } from '../../src/server/http-server.ts';
import { faultsOf } from './refused-parameters.ts';

const LIMIT = 24 * 1024;
const PATH = '/api/divisions/';

const WIDEST: Readonly<Record<Exclude<ListField['kind'], 'text'>, ListValue>> = {
  uuid: '0190a000-0000-7000-8000-00000000000f',
  division: '0190a000-0000-7000-8000-00000000000f',
  date: '2000-02-29',
  instant: '2026-01-01T00:00:00.000Z',
  boolean: false,
  groups: '012',
};
const widest = ({ kind, maxLength }: ListField): ListValue =>
  kind === 'text' ? foldCase('\u{10400}'.repeat(maxLength)) : WIDEST[kind];

/** Returns the query strings of both links of a page whose rows have the longest possible values. */
const neighbours = (list: ListParameters<string>, queryString: string): readonly string[] => {
  const query = list.read(queryString, 'list');
  const values = query.order.map(({ field }) => widest(list.fields[field] as ListField));
  const position = (side: Position['side'], inclusive: boolean): Position => ({ side, inclusive, values });
  return [
    { next: position('after', false), previous: position('before', false) },
    { next: position('after', true), previous: position('before', true) },
  ].flatMap((ways) => {
    const { next, previous } = envelope(
      { path: PATH, queryString },
      query.checksum,
      { items: [], ...ways },
      () => null,
    );
    return [next, previous].map((link) => link?.slice(PATH.length + 1) ?? expect.fail('no link'));
  });
};

const expectNeighbours = (list: ListParameters<string>, query: string): void => {
  for (const next of neighbours(list, query)) {
    expect(next.length).to.be.at.most(MAX_QUERY_BYTES_WITH_CURSOR);
    expect(faultsOf(list, next)).to.deep.equal([]);
    // The links of the linked pages are valid too.
    for (const further of neighbours(list, next)) expect(faultsOf(list, further)).to.deep.equal([]);
  }
};

/** Returns a filter of this length, including its name and the equals sign. */
const padding = (name: string, length: number): string => {
  const start = `${name}__in=`;
  const value = `${'x'.repeat(1000)},`.repeat(30).slice(0, length - start.length);
  return `${start}${value}`;
};

describe('The length of a query string', () => {
  it('is checked before anything else, with or without a cursor', () => {
    for (const query of [`x=%ZZ&${'y=1&'.repeat(LIMIT)}`, `x=%ZZ&cursor=${'A'.repeat(LIMIT)}`]) {
      expect(faultsOf(userListParameters, query).map(({ code }) => code)).to.deep.equal(['too_long']);
      expect(faultsOf(divisionListParameters, query).map(({ code }) => code)).to.deep.equal(['too_long']);
    }
  });

  it('leaves 3 KiB of the request head for path and headers', () => {
    expect(MAX_HEADER_BYTES - MAX_QUERY_BYTES_WITH_CURSOR).to.equal(3 * 1024);
  });

  it('leaves enough bytes for the cursor of the next page with the longest values', () => {
    const orders: [ListParameters<string>, string, string][] = [
      [divisionListParameters, 'name', 'logo,fanpage'],
      [divisionListParameters, 'name', 'name,-logo,fanpage'],
      [divisionListParameters, 'logo', 'fanpage'],
      [userListParameters, 'username', 'username,email,first_name,last_name,groups,birthdate,is_active,division'],
    ];
    for (const [list, name, ordering] of orders) {
      const order = `ordering=${ordering}&`;
      let longest = 0;
      for (let step = 2 ** 15; step >= 1; step /= 2) {
        const query = `${order}${padding(name, longest + step)}`;
        if (longest + step > name.length + 6 && faultsOf(list, query).length === 0) longest += step;
      }
      const query = `${order}${padding(name, longest)}`;
      expect(query.length).to.be.greaterThan(5000);
      expectNeighbours(list, query);
      const [fault] = faultsOf(list, `${order}${padding(name, longest + 1)}`);
      expect(fault?.code).to.equal('too_long');
      expect(fault?.detail).to.contain(String(query.length));
    }
  });

  it('is valid for both links of every accepted request', () => {
    const sent = <Field extends string>(list: ListParameters<Field>, texts: readonly string[]) => {
      const names = Object.keys(list.fields).map((name) => name.replace(/[A-Z]/g, (l) => `_${l.toLowerCase()}`));
      const ordering = fc.uniqueArray(fc.tuple(fc.constantFrom('', '-'), fc.constantFrom(...names)), {
        minLength: 1,
        selector: ([, name]) => name,
      });
      const filters = fc.uniqueArray(fc.tuple(fc.constantFrom(...texts), fc.nat(12_000)), {
        selector: ([name]) => name,
        maxLength: 3,
      });
      return fc
        .tuple(ordering, filters, fc.constantFrom('', '&', '&&page_size=3', '&count=true&'))
        .map(([order, padded, end]) => ({
          list: list as unknown as ListParameters<string>,
          query: `ordering=${order.map((parts) => parts.join('')).join(',')}${padded
            .map(([name, length]) => `&${padding(name, length + 100)}`)
            .join('')}${end}`,
        }));
    };
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          sent(userListParameters, ['username', 'email', 'first_name']),
          sent(divisionListParameters, ['name', 'logo', 'fanpage']),
        ),
        ({ list, query }) => {
          const faults = faultsOf(list, query);
          if (faults.length > 0) {
            expect(faults.every(({ code }) => code === 'too_long')).to.equal(true);
            return;
          }
          accepted += 1;
          expectNeighbours(list, query);
        },
      ),
      runs(60),
    );
    expect(accepted).to.be.greaterThan(10);
  });
});

describe('The longest cursor', () => {
  const { lastName, id } = userListFields;
  const order = completeOrder<'lastName'>([{ field: 'lastName', descending: false }]);
  const text = (value: string): Position => ({ side: 'before', inclusive: false, values: [value, widest(id)] });
  const query = userListParameters.read('ordering=last_name', 'list');

  it('is as long as the computed maximum', () => {
    expect(order.map(({ field }) => field)).to.deep.equal(['lastName', 'id']);
    expect(encodeCursor('1z141z3', text(widest(lastName) as string))).to.have.lengthOf(maxCursorLength([lastName, id]));
  });

  it('has no value that is longer than a stored one can be', () => {
    const read = (value: string) =>
      faultsOf(userListParameters, `ordering=last_name&cursor=${encodeCursor(query.checksum, text(value))}`).map(
        ({ code }) => code,
      );
    expect(read('x'.repeat(600))).to.deep.equal([]);
    expect(read('x'.repeat(601))).to.deep.equal(['invalid_cursor']);
    expect(read('"'.repeat(300))).to.deep.equal([]);
    expect(read('"'.repeat(301))).to.deep.equal(['invalid_cursor']);
  });

  it('has at most four bytes for each code point of a stored text', () => {
    for (let point = 0x20; point <= 0x10ffff; point += 1) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const bytes = Buffer.byteLength(JSON.stringify(foldCase(String.fromCodePoint(point)))) - 2;
      if (bytes > 4) expect.fail(`U+${point.toString(16)} has ${bytes} bytes`);
    }
  });
});

describe('A query string without its cursor', () => {
  const others: [string, string][] = [
    ['', ''],
    ['cursor=x', ''],
    ['cursor', ''],
    ['a=1&cursor=x&b=2', 'a=1&b=2'],
    ['a=1&%63u%72s%6Fr=x&&%63ursor=y&', 'a=1'],
    ['cursors=1&Cursor=2&x=cursor=3&cursor%=4', 'cursors=1&Cursor=2&x=cursor=3&cursor%=4'],
  ];
  for (const [query, expected] of others) {
    it(`is \`${expected}\` for \`${query}\``, () => expect(withoutCursor(query)).to.equal(expected));
  }
});
