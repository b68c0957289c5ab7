import { DomainError, type FieldFault } from '@chapter/domain/api';
import type { ListParameters } from '../../src/lists/list-parameters.ts';

/** Returns the faults for which a list rejects a query string, none if it accepts it. */
export const faultsOf = (list: Pick<ListParameters<string>, 'read'>, query: string): readonly FieldFault[] => {
  try {
    list.read(query, 'list');
  } catch (error) {
    if (error instanceof DomainError) return error.faults;
    throw error;
  }
  return [];
};

/** An id that no record has. */
export const ID = '0190a000-0000-7000-8000-00000000000f';

/** Returns `count` values, separated by commas. */
export const many = (count: number, value: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => value(at)).join(',');
/**
 * Query strings that every list rejects, with the faults as `field code`. `query-string.test.ts` has those that are malformed or
 * repeat a parameter.
 */
export const refusedEverywhere: [string, string[]][] = [
  ['page_size=0', ['page_size out_of_range']],
  ['page_size=99999999999999999999', ['page_size out_of_range']],
  ['page_size=-1', ['page_size out_of_range']],
  ['page_size=101', ['page_size out_of_range']],
  ['page_size=1e9', ['page_size invalid_type']],
  ['page_size=1000000000', ['page_size out_of_range']],
  ['page_size=2.5', ['page_size invalid_type']],
  ['page_size=abc', ['page_size invalid_type']],
  ['page_size=+5', ['page_size invalid_type']],
  ['page_size=%2B5', ['page_size invalid_type']],
  ['page_size=', ['page_size invalid_type']],
  ['page_size', ['page_size invalid_type']],
  ['page_size=5&page_size=5', ['page_size duplicate']],
  ['count=yes', ['count invalid_type']],
  ['count=', ['count invalid_type']],
  ['cursor=', ['cursor invalid_cursor']],
  ['cursor=x', ['cursor invalid_cursor']],
  [`cursor=${'A'.repeat(10_240)}`, ['cursor invalid_cursor']],
  [`cursor=${Buffer.from('['.repeat(7000)).toString('base64url')}`, ['cursor invalid_cursor']],
  ['cursor=%00', ['cursor invalid_cursor']],
  ['ordering=', ['ordering invalid_format']],
  ['ordering=--id', ['ordering invalid_format']],
  ['ordering=-', ['ordering invalid_format']],
  ['ordering=id,', ['ordering invalid_format']],
  ['ordering=+id', ['ordering invalid_format']],
  ['ordering=id;drop', ['ordering invalid_format']],
  ['ordering=id,-id', ['ordering duplicate']],
  ['ordering=password', ['ordering invalid_format']],
  ['ordering=password_hash', ['ordering invalid_format']],
  ['ordering=version', ['ordering invalid_format']],
  ['ordering=revision', ['ordering invalid_format']],
  ['ordering=username_key', ['ordering invalid_format']],
  ['ordering=constructor', ['ordering invalid_format']],
  [`ordering=${many(3000, () => 'id')}`, ['ordering duplicate']],
  [`ordering=${'x'.repeat(10_240)}`, ['ordering invalid_format']],
  ['search=a+b+c+d+e+f', ['search too_long']],
  [`search=${'a'.repeat(101)}`, ['search too_long']],
  [`search=${'a'.repeat(10_240)}`, ['search too_long']],
  ['search=%00', ['search invalid_format']],
  ['search=a%E2%80%8Bb', ['search invalid_format']],
  ['%00=1', ['\u0000 unknown_parameter']],
  ['__proto__=1', ['__proto__ unknown_parameter']],
  ['constructor=1', ['constructor unknown_parameter']],
  ['toString=1', ['toString unknown_parameter']],
  ['limit=1', ['limit unknown_parameter']],
  ['offset=1', ['offset unknown_parameter']],
  ['password=x', ['password unknown_parameter']],
  ['password_hash=x', ['password_hash unknown_parameter']],
  ['password__isnull=true', ['password__isnull unknown_parameter']],
  ['version=1', ['version unknown_parameter']],
  ['revision=1', ['revision unknown_parameter']],
  ['username_key=x', ['username_key unknown_parameter']],
  ['page_size=0&emial=x&count=2&cursor=x', ['page_size out_of_range', 'emial unknown_parameter', 'count invalid_type']],
];

/** Query strings that text fields reject. */
const refusedByText = (name: string): [string, string[]][] => [
  [`${name}=%00`, [`${name} invalid_format`]],
  [`${name}=%E2%80%AE`, [`${name} invalid_format`]],
  [`${name}=${'x'.repeat(10_240)}`, [`${name} too_long`]],
  [`${name}__icontains=${'x'.repeat(10_240)}`, [`${name}__icontains too_long`]],
  [`${name}__in=`, [`${name}__in too_short`]],
  [`${name}__in=${many(101, (at) => `u${at}`)}`, [`${name}__in too_long`]],
  [`${name}__in=${many(3000, (at) => `u${at}`)}`, [`${name}__in too_long`]],
  [`${name}__in=a,%00`, [`${name}__in invalid_format`]],
  [`${name}__foo=a`, [`${name}__foo unknown_parameter`]],
  [`${name}__=a`, [`${name}__ unknown_parameter`]],
  [`${name}__IN=a`, [`${name}__IN unknown_parameter`]],
  [`${name.toUpperCase()}=a`, [`${name.toUpperCase()} unknown_parameter`]],
];

/** Query strings that id fields reject. */
const refusedById = (name: string): [string, string[]][] => [
  [`${name}=x`, [`${name} invalid_format`]],
  [`${name}=`, [`${name} invalid_format`]],
  [`${name}__in=${ID},x`, [`${name}__in invalid_format`]],
  [`${name}__in=${many(101, () => ID)}`, [`${name}__in too_long`]],
];

/** Query strings that the list of divisions rejects, besides those that every list rejects. */
export const refusedByDivisions: [string, string[]][] = [
  ...refusedByText('name'),
  ...refusedByText('logo'),
  ...refusedById('id'),
  ...['username', 'users', 'is_active'].map((name): [string, string[]] => [`${name}=x`, [`${name} unknown_parameter`]]),
];

/** Query strings that the list of users rejects, besides those that every list rejects. */
export const refusedByUsers: [string, string[]][] = [
  ...refusedByText('username'),
  ...refusedByText('email'),
  ...refusedById('id'),
  ...refusedById('division'),
  ['birthdate=2023-02-30', ['birthdate invalid_format']],
  ['birthdate__gte=2023-02-29', ['birthdate__gte invalid_format']],
  ['birthdate__in=2023-02-28,2023-02-30', ['birthdate__in invalid_format']],
  ['birthdate=2023-2-3', ['birthdate invalid_format']],
  ['email__isnull=1', ['email__isnull invalid_type']],
  ['firstName=a', ['firstName unknown_parameter']],
  ['birthdate=02/03/2023', ['birthdate invalid_format']],
  ['birthdate=0000-01-01', ['birthdate invalid_format']],
  ['birthdate=', ['birthdate invalid_format']],
  ['birthdate__isnull=maybe', ['birthdate__isnull invalid_type']],
  ['date_joined=2023-02-30T00:00:00Z', ['date_joined invalid_format']],
  ['date_joined=2026-01-01T24:00:00Z', ['date_joined invalid_format']],
  ['date_joined=0000-01-01T00:00:00Z', ['date_joined invalid_format']],
  ['date_joined=0001-01-01T00:00:00%2B01:00', ['date_joined invalid_format']],
  ['date_joined=9999-12-31T23:59:59-01:00', ['date_joined invalid_format']],
  ['date_joined__lt=2026-01-01', ['date_joined__lt invalid_format']],
  ['date_joined__lt=2026-01-01T00:00:00', ['date_joined__lt invalid_format']],
  ['is_active=1', ['is_active invalid_type']],
  ['is_active=TRUE', ['is_active invalid_type']],
  ['groups=Admin', ['groups invalid_format']],
  ['groups=leader', ['groups invalid_format']],
  ['is_active=', ['is_active invalid_type']],
  ['groups=', ['groups invalid_format']],
  ['groups__in=Leader,', ['groups__in invalid_format']],
  ['division__name=North', ['division__name unknown_parameter']],
  ['name=x', ['name unknown_parameter']],
];

/** Query strings that the list of a division's users rejects, although the list of users accepts them. */
export const refusedByDivisionUsers: [string, string[]][] = [
  'email',
  'last_name',
  'birthdate',
  'date_joined',
  '-is_staff',
  'username,email',
].map((order): [string, string[]] => [`ordering=${order}`, ['ordering invalid_format']]);
