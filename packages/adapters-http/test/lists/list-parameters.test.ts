import { type FieldKind, type ListField, type ListQuery, operatorsOf, type UserListField } from '@chapter/domain/api';
import { expect } from 'chai';
import { faultName, toWireName } from '../../src/errors/faults.ts';
import {
  divisionListParameters,
  divisionUserListParameters,
  type ListParameters,
  userListParameters,
} from '../../src/lists/list-parameters.ts';
import {
  faultsOf,
  ID,
  many,
  refusedByDivisions,
  refusedByDivisionUsers,
  refusedByUsers,
  refusedEverywhere,
} from './refused-parameters.ts';

const read = (text: string): ListQuery<UserListField> => userListParameters.read(text, 'users');

const namedFaults = (list: Pick<ListParameters<string>, 'read'>, text: string): readonly string[] =>
  faultsOf(list, text).map((fault) => `${faultName(fault)} ${fault.code}`);

describe('A list of users', () => {
  it('has its default order and 50 rows per page without parameters', () => {
    const { checksum, ...query } = userListParameters.read('', 'users');
    expect(checksum).to.not.equal(userListParameters.read('', 'others').checksum);
    expect(query).to.deep.equal({
      filters: [],
      words: [],
      searched: ['username', 'email', 'firstName', 'lastName'],
      order: [
        { field: 'dateJoined', descending: false },
        { field: 'id', descending: false },
      ],
      size: 50,
      position: null,
      counted: false,
    });
  });

  const filters: [string, UserListField, string, unknown][] = [
    ['username=Ada', 'username', 'eq', 'ada'],
    ['email=', 'email', 'eq', ''],
    ['first_name=Zoe%CC%81', 'firstName', 'eq', 'zoé'],
    ['first_name__icontains=A%25_%5C', 'firstName', 'icontains', 'a%_\\'],
    ['last_name__istartswith=%CE%A3%CF%82', 'lastName', 'istartswith', 'σσ'],
    ['username__in=a,B,,b', 'username', 'in', ['a', 'b', '']],
    ['username__in=a&username__in=B,&username__in=b', 'username', 'in', ['a', 'b', '']],
    ['first_name__in=x,zoe%CC%81', 'firstName', 'in', ['x', 'zoé']],
    ['username__gt=M', 'username', 'gt', 'm'],
    [`id=${ID.toUpperCase()}`, 'id', 'eq', ID],
    [`division__in=${ID}`, 'division', 'in', [ID]],
    ['groups=Leader', 'groups', 'eq', 'Leader'],
    ['groups__in=Leader,Guest', 'groups', 'in', ['Leader', 'Guest']],
    ['birthdate__lte=2000-02-29', 'birthdate', 'lte', '2000-02-29'],
    ['birthdate__isnull=false', 'birthdate', 'isnull', false],
    ['email__isnull=true', 'email', 'isnull', true],
    ['is_active=false', 'isActive', 'eq', false],
    ['date_joined__gte=2026-01-02T03:04:05Z', 'dateJoined', 'gte', '2026-01-02T03:04:05.000Z'],
    ['date_joined__lt=2026-01-02T03:04:05.6%2B02:00', 'dateJoined', 'lt', '2026-01-02T01:04:05.600Z'],
  ];
  for (const [text, field, operator, value] of filters) {
    it(`filters by \`${text}\``, () => expect(read(text).filters).to.deep.equal([{ field, operator, value }]));
  }

  it('is ordered by several fields, then by id in the direction of the last field', () => {
    expect(read('ordering=last_name,-birthdate').order).to.deep.equal([
      { field: 'lastName', descending: false },
      { field: 'birthdate', descending: true },
      { field: 'id', descending: true },
    ]);
    expect(read('ordering=-id,username').order).to.deep.equal([{ field: 'id', descending: true }]);
  });

  it('searches for each distinct word, case-folded', () => {
    expect(read('search=++ADA%09love%C3%A9+ada').words).to.deep.equal(['ada', 'loveé']);
    expect(read('search=').words).to.deep.equal([]);
  });

  it('reads page size and count', () => {
    expect(read('page_size=100&count=true')).to.include({ size: 100, counted: true });
    expect(read('count=false')).to.include({ counted: false });
  });

  it('takes at most 100 values', () => {
    expect(read(`id__in=${many(100, (at) => ID.slice(0, -3) + String(at + 100))}`).filters[0]?.value).to.have.lengthOf(
      100,
    );
  });

  it('suggests the nearest parameter or field', () => {
    const detail = (text: string) => faultsOf(userListParameters, text)[0]?.detail;
    expect(detail('emial=a')).to.equal('unknown parameter `emial`; did you mean `email`?');
    expect(detail('username__icontain=a')).to.equal(
      'unknown parameter `username__icontain`; did you mean `username__icontains`?',
    );
    expect(detail('ordering=-date_joned')).to.equal('unknown field `date_joned`; did you mean `date_joined`?');
    for (const gap of ['', '-', 'id,', ',id']) {
      expect(detail(`ordering=${gap}`)).to.equal('contains an empty field name; use names such as `id` and `-id`');
    }
    expect(detail('groups=Admin')).to.equal('must be one of Leader, Guest, User');
    expect(detail('xyzzy=a')).to.equal('unknown parameter `xyzzy`');
  });

  it('reports at most 50 faults of all kinds together', () => {
    const flood = Array.from({ length: 1000 }, (_, at) => `parameter${at}=1`).join('&');
    const mixed = namedFaults(userListParameters, `${flood}&page_size=0`);
    expect(mixed).to.have.lengthOf(50);
    expect(mixed).to.not.include('page_size out_of_range');
  });
});

describe('The list of a division’s users', () => {
  it('takes search, order, size, cursor and count, for CSV the form, and nothing else', () => {
    expect([...divisionUserListParameters.parameters.keys()]).to.deep.equal([
      'search',
      'ordering',
      'page_size',
      'cursor',
      'count',
      'spreadsheet',
    ]);
  });

  it('is ordered by username and searched in it', () => {
    const { order, searched } = divisionUserListParameters.read('', 'x');
    expect(order.map(({ field }) => field)).to.deep.equal(['username', 'id']);
    expect(searched).to.deep.equal(['username']);
  });
});

/** A value of each kind of field. */
const VALUES: Readonly<Record<FieldKind, string>> = {
  text: 'x',
  uuid: ID,
  division: ID,
  date: '2000-02-29',
  instant: '2026-01-02T03:04:05Z',
  boolean: 'true',
  groups: 'Leader',
};

type TestedList = Pick<ListParameters<string>, 'fields' | 'parameters' | 'read'>;

const lists: readonly (readonly [string, TestedList, readonly [string, string[]][]])[] = [
  ['users', userListParameters, refusedByUsers],
  ['divisions', divisionListParameters, refusedByDivisions],
  ['a division’s users', divisionUserListParameters, refusedByDivisionUsers],
];
for (const [name, list, refused] of lists) {
  describe(`The parameters of the list of ${name}`, () => {
    const hasFilters = list !== divisionUserListParameters;

    for (const [field, listField] of Object.entries<ListField>(list.fields)) {
      const wire = toWireName(field);
      const operators = hasFilters ? operatorsOf(listField) : [];

      it(`filter ${wire} by ${operators.join(', ') || 'nothing'}, and order by it in both directions`, () => {
        const parameters = operators.map((operator) => (operator === 'eq' ? wire : `${wire}__${operator}`));
        const known = [...list.parameters.keys()];
        expect(known.filter((parameter) => parameter.split('__', 1)[0] === wire)).to.deep.equal(parameters);
        for (const [at, operator] of operators.entries()) {
          const value = operator === 'isnull' ? 'true' : VALUES[listField.kind];
          const { filters } = list.read(`${parameters[at]}=${value}`, 'x');
          expect(filters.map((filter) => [filter.field, filter.operator])).to.deep.equal([[field, operator]]);
        }
        for (const descending of [false, true]) {
          const [first] = list.read(`ordering=${descending ? '-' : ''}${wire}`, 'x').order;
          expect(first).to.deep.equal({ field, descending });
        }
      });
    }

    for (const [text, expected] of [...refusedEverywhere, ...refused]) {
      it(`reject \`${text.slice(0, 60)}\``, () => expect(namedFaults(list, text)).to.deep.equal(expected));
    }
  });
}
