import { type Position, type UserListField, userListFields } from '@chapter/domain/api';
import { expect } from 'chai';
import { decodeCursor, encodeCursor, type QueryWithChecksum } from '../../src/lists/cursor.ts';
import { userListParameters } from '../../src/lists/list-parameters.ts';

const ID = '0190a000-0000-7000-8000-00000000000f';
const queryOf = (text: string, name = 'users'): QueryWithChecksum<UserListField> => userListParameters.read(text, name);
const decode = (of: QueryWithChecksum<UserListField>, cursor: string) => decodeCursor(of, userListFields, cursor);
const position = (...values: Position['values']): Position => ({ side: 'after', inclusive: false, values });
const forge = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('A cursor', () => {
  const ordering = 'ordering=-email,groups,is_active,birthdate,last_name';
  const all = position(null, '02', true, '2000-02-29', 'σ"\\%', ID);

  it('decodes to the position that it encodes', () => {
    for (const side of ['after', 'before'] as const) {
      for (const inclusive of [true, false]) {
        const original = { ...all, side, inclusive };
        expect(decode(queryOf(ordering), encodeCursor(queryOf(ordering).checksum, original))).to.deep.equal(original);
      }
    }
  });

  it('of release 0.1.0 is accepted', () => {
    const recorded = 'WyJoNWJjZGUiLCJhZnRlciIsZmFsc2UsImJlcmciLCIwMTkwYTAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMGYiXQ';
    const query = queryOf(
      'search=anna&is_active=true&ordering=-last_name',
      'listUsers 00000000-0000-0000-0000-000000000000',
    );
    expect(decode(query, recorded)).to.deep.equal(position('berg', ID));
  });

  it('stays valid with another page size and another order of the filters', () => {
    const cursor = encodeCursor(queryOf('username=a&email=b').checksum, position('2026-01-01T00:00:00.000Z', ID));
    expect(decode(queryOf('email=b&username=A&page_size=3&count=true'), cursor)).to.not.equal(undefined);
  });

  const others = ['username=a', 'search=a', 'ordering=-date_joined', 'ordering=date_joined,-id', 'username__in=a'];
  for (const other of others) {
    it(`is invalid with \`${other}\``, () => {
      const cursor = encodeCursor(queryOf('').checksum, position('2026-01-01T00:00:00.000Z', ID));
      expect(decode(queryOf(other), cursor)).to.equal(undefined);
    });
  }

  const own = queryOf('');
  const cursor = encodeCursor(own.checksum, position('2026-01-01T00:00:00.000Z', ID));
  const [checksum] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string];
  const at = '2026-01-01T00:00:00.000Z';
  const forged: [string, string][] = [
    ['is truncated', cursor.slice(0, -1)],
    ['has an extra character', `${cursor}A`],
    ['is padded', `${cursor}=`],
    ['has other characters', `${cursor.slice(0, 8)}+${cursor.slice(9)}`],
    ['is not JSON', Buffer.from('[').toString('base64url')],
    ['is null', forge(null)],
    ['is an object', forge({})],
    ['is empty', forge([])],
    ['has white space', Buffer.from(`["${checksum}", "after",false,"${at}","${ID}"]`).toString('base64url')],
    ['has another checksum', forge(['x', 'after', false, at, ID])],
    ['has an unknown side', forge([checksum, 'beside', false, at, ID])],
    ['has a number for `inclusive`', forge([checksum, 'after', 0, at, ID])],
    ['has too few values', forge([checksum, 'after', false, at])],
    ['has too many values', forge([checksum, 'after', false, at, ID, ID])],
    ['has null for a field that cannot be null', forge([checksum, 'after', false, null, ID])],
    ['has an object for a value', forge([checksum, 'after', false, {}, ID])],
    ['has an instant in another format', forge([checksum, 'after', false, '2026-01-01', ID])],
    ['has an instant that does not exist', forge([checksum, 'after', false, '2026-02-30T00:00:00.000Z', ID])],
    ['has an instant after the year 9999', forge([checksum, 'after', false, '+010000-01-01T00:00:00.000Z', ID])],
    ['has an instant before the year 1', forge([checksum, 'after', false, '0000-12-31T00:00:00.000Z', ID])],
    ['has an id in upper case', forge([checksum, 'after', false, at, ID.toUpperCase()])],
    ['has an invalid id', forge([checksum, 'after', false, at, 'x'])],
    ['is very long', 'A'.repeat(100_000)],
  ];
  for (const [description, text] of forged) {
    it(`is invalid if it ${description}`, () => expect(decode(own, text)).to.equal(undefined));
  }

  it('is invalid if it contains text that the database cannot store', () => {
    const byName = queryOf('ordering=last_name');
    const nul = encodeCursor(byName.checksum, position('a\u0000', ID));
    expect(decode(byName, nul)).to.equal(undefined);
  });
});
