import { DomainError, type ListQuery, type UserListField } from '@chapter/domain';
import { expect } from 'chai';
import { faultName } from '../../src/errors/wire-fault.ts';
import { divisionUserListParameters, userListParameters } from '../../src/lists/lists.ts';

const read = (text: string): ListQuery<UserListField> => userListParameters.read(text, 'users');
const ID = '0190a000-0000-7000-8000-00000000000f';

const refusal = (attempt: () => unknown): string[] => {
  try {
    attempt();
  } catch (error) {
    if (error instanceof DomainError) return error.faults.map((fault) => `${faultName(fault)} ${fault.code}`);
    throw error;
  }
  return [];
};

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
    ['first_name__icontains=A%25_%5C', 'firstName', 'icontains', 'a%_\\'],
    ['last_name__istartswith=%CE%A3%CF%82', 'lastName', 'istartswith', 'σσ'],
    ['username__in=a,B,,b', 'username', 'in', ['a', 'b', '']],
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

  const many = Array.from({ length: 101 }, (_, at) => `u${at}`).join(',');
  const refused: [string, string[]][] = [
    ['page_size=0', ['page_size out_of_range']],
    ['page_size=-1', ['page_size out_of_range']],
    ['page_size=101', ['page_size out_of_range']],
    ['page_size=1e9', ['page_size invalid_type']],
    ['page_size=99999999999999999999', ['page_size out_of_range']],
    ['page_size=2.5', ['page_size invalid_type']],
    ['page_size=+5', ['page_size invalid_type']],
    ['page_size=', ['page_size invalid_type']],
    ['page_size=abc', ['page_size invalid_type']],
    ['count=1', ['count invalid_type']],
    ['emial=a', ['emial unknown_parameter']],
    ['Username=a', ['Username unknown_parameter']],
    ['firstName=a', ['firstName unknown_parameter']],
    ['username__foo=a', ['username__foo unknown_parameter']],
    ['username__isnull=true', ['username__isnull unknown_parameter']],
    ['is_active__gt=true', ['is_active__gt unknown_parameter']],
    ['groups__icontains=a', ['groups__icontains unknown_parameter']],
    ['password=a', ['password unknown_parameter']],
    ['password_hash=a', ['password_hash unknown_parameter']],
    ['revision=1', ['revision unknown_parameter']],
    ['__proto__=1', ['__proto__ unknown_parameter']],
    ['constructor=1', ['constructor unknown_parameter']],
    ['id=x', ['id invalid_format']],
    ['id=', ['id invalid_format']],
    ['groups=Admin', ['groups invalid_format']],
    ['groups=leader', ['groups invalid_format']],
    ['birthdate=2023-02-30', ['birthdate invalid_format']],
    ['birthdate=2023-2-3', ['birthdate invalid_format']],
    ['date_joined=2026-01-01', ['date_joined invalid_format']],
    ['date_joined=2026-02-30T00:00:00Z', ['date_joined invalid_format']],
    ['date_joined=2026-01-01T24:00:00Z', ['date_joined invalid_format']],
    ['date_joined=0000-01-01T00:00:00Z', ['date_joined invalid_format']],
    ['date_joined=0001-01-01T00:00:00%2B01:00', ['date_joined invalid_format']],
    ['date_joined=9999-12-31T23:59:59-01:00', ['date_joined invalid_format']],
    ['birthdate=0000-01-01', ['birthdate invalid_format']],
    ['is_active=yes', ['is_active invalid_type']],
    ['is_active=', ['is_active invalid_type']],
    ['email__isnull=1', ['email__isnull invalid_type']],
    ['username=%00', ['username invalid_format']],
    [`username=${'a'.repeat(10_000)}`, ['username too_long']],
    ['username__in=', ['username__in too_short']],
    [`username__in=${many}`, ['username__in too_long']],
    ['id__in=x', ['id__in invalid_format']],
    ['ordering=', ['ordering invalid_format']],
    ['ordering=password', ['ordering invalid_format']],
    ['ordering=username,', ['ordering invalid_format']],
    ['ordering=--username', ['ordering invalid_format']],
    ['ordering=username,-username', ['ordering duplicate']],
    ['search=a+b+c+d+e+f', ['search too_long']],
    [`search=${'a'.repeat(101)}`, ['search too_long']],
    ['search=%00', ['search invalid_format']],
    ['cursor=', ['cursor invalid_cursor']],
    ['cursor=x', ['cursor invalid_cursor']],
    [
      'id=x&emial=y&page_size=0&count=2',
      ['id invalid_format', 'emial unknown_parameter', 'page_size out_of_range', 'count invalid_type'],
    ],
  ];
  for (const [text, expected] of refused) {
    it(`rejects \`${text.slice(0, 60)}\``, () => expect(refusal(() => read(text))).to.deep.equal(expected));
  }

  it('suggests the nearest parameter or field', () => {
    const detail = (text: string) => {
      try {
        return read(text);
      } catch (error) {
        return (error as DomainError).faults[0]?.detail;
      }
    };
    expect(detail('emial=a')).to.equal('unknown parameter `emial`; did you mean `email`?');
    expect(detail('username__icontain=a')).to.equal(
      'unknown parameter `username__icontain`; did you mean `username__icontains`?',
    );
    expect(detail('ordering=-date_joned')).to.equal('unknown field `date_joned`; did you mean `date_joined`?');
    expect(detail('groups=Admin')).to.equal('must be one of Leader, Guest, User');
    expect(detail('xyzzy=a')).to.equal('unknown parameter `xyzzy`');
  });

  it('reports at most 50 faults of all kinds together', () => {
    const flood = (value: string) => Array.from({ length: 1000 }, (_, at) => `parameter${at}=${value}`).join('&');
    expect(refusal(() => read(flood('1')))).to.have.lengthOf(50);
    expect(refusal(() => read(flood('%ZZ')))).to.have.lengthOf(50);
    const mixed = refusal(() => read(`${flood('1')}&page_size=0`));
    expect(mixed).to.have.lengthOf(50);
    expect(mixed).to.not.include('page_size out_of_range');
  });

  it('shows at most 100 characters of a name', () => {
    expect(refusal(() => read(`${'x'.repeat(101)}=1`))).to.deep.equal([`${'x'.repeat(100)} unknown_parameter`]);
    try {
      read(`ordering=${'x'.repeat(101)}`);
    } catch (error) {
      expect((error as DomainError).faults[0]?.detail).to.equal(`unknown field \`${'x'.repeat(100)}\``);
    }
  });
});

describe('The list of a division’s users', () => {
  it('takes search, order, size, cursor and count, and nothing else', () => {
    expect([...divisionUserListParameters.parameters.keys()]).to.deep.equal([
      'search',
      'ordering',
      'page_size',
      'cursor',
      'count',
    ]);
    expect(refusal(() => divisionUserListParameters.read('username=a&ordering=email', 'x'))).to.deep.equal([
      'username unknown_parameter',
      'ordering invalid_format',
    ]);
  });

  it('is ordered by username and searched in it', () => {
    const { order, searched } = divisionUserListParameters.read('', 'x');
    expect(order.map(({ field }) => field)).to.deep.equal(['username', 'id']);
    expect(searched).to.deep.equal(['username']);
  });
});
