import {
  checkFields,
  DomainError,
  type FieldFault,
  USER_READ_ONLY,
  userChangeChecks,
  userChecks,
} from '@chapter/domain/api';
import { expect } from 'chai';
import { Compile } from 'typebox/compile';
import { faultName } from '../../src/errors/faults.ts';
import type { DuplicateNames } from '../../src/requests/read-json.ts';
import { makeReadBody } from '../../src/requests/request-input.ts';
import { NewUser, UserChanges } from '../../src/schemas/user.ts';

const readBody = makeReadBody({ schema: NewUser, readOnly: USER_READ_ONLY });
const read = (value: unknown, duplicates: DuplicateNames = new Map()) => readBody({ value, duplicates });
const names = (faults: readonly FieldFault[]) => faults.map((fault) => `${faultName(fault)} ${fault.code}`);

describe('The fields of a body', () => {
  it('have their domain names, and values of any type', () => {
    const { fields, faults } = read({ username: ' ada ', password: 7, first_name: 'A', is_active: null });
    expect(fields).to.deep.equal({ username: ' ada ', password: 7, firstName: 'A', isActive: null });
    expect(faults).to.deep.equal([]);
  });

  it('include read-only fields, which the domain rejects', () => {
    const { fields, faults } = read({ is_staff: true, date_joined: 'x' });
    expect(fields).to.deep.equal({ isStaff: true, dateJoined: 'x' });
    expect(faults).to.deep.equal([]);
  });

  it('include no unknown fields, for which the nearest known name is suggested', () => {
    const body = JSON.parse('{"username":"ada","password":"12345678","firstName":"A","emial":"b","__proto__":{"x":1}}');
    const { fields, faults } = read(body);
    expect(Object.keys(fields)).to.deep.equal(['username', 'password']);
    expect(names(faults)).to.deep.equal(['firstName unknown_field', 'emial unknown_field', '__proto__ unknown_field']);
    expect(faults.map(({ detail }) => detail)).to.deep.equal([
      'unknown field `firstName`; did you mean `first_name`?',
      'unknown field `emial`; did you mean `email`?',
      'unknown field `__proto__`',
    ]);
    expect(({} as { x?: number }).x).to.equal(undefined);
  });

  it('include duplicate ones, which are faults under their domain names', () => {
    const duplicates = new Map([
      ['first_name', 'appears more than once'],
      ['is_staff', 'appears more than once'],
      ['x', 'contains a name more than once'],
    ]);
    const { fields, faults } = read({ first_name: 'A', is_staff: true, x: 1 }, duplicates);
    expect(fields).to.deep.equal({ firstName: 'A', isStaff: true });
    expect(faults).to.deep.equal([
      { field: 'firstName', code: 'duplicate', detail: 'appears more than once' },
      { field: 'isStaff', code: 'duplicate', detail: 'appears more than once' },
      { field: '', wire: 'x', code: 'duplicate', detail: 'contains a name more than once' },
      { field: '', wire: 'x', code: 'unknown_field', detail: 'unknown field `x`' },
    ]);
  });

  it('are read without inspecting their values', () => {
    const untouchable = new Proxy([], {
      get: (_, key) => expect.fail(`looked at ${String(key)}`),
      ownKeys: () => expect.fail('looked at the names'),
    });
    expect(read({ groups: untouchable }).faults).to.deep.equal([]);
  });

  it('have at most 50 faults, and are returned after them', () => {
    const unknown = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`field${at}`, 1]));
    const { fields, faults } = read({ ...unknown, groups: ['Leader'] });
    expect(faults).to.have.lengthOf(50);
    expect(faults.every(({ code }) => code === 'unknown_field')).to.equal(true);
    expect(fields).to.deep.equal({ groups: ['Leader'] });
  });

  for (const body of [null, [], 'x', 7, true]) {
    it(`are not read from ${JSON.stringify(body)}`, () => {
      expect(() => read(body))
        .to.throw(DomainError)
        .with.deep.property('faults', [{ field: '', code: 'invalid_type', detail: 'must be a JSON object' }]);
    });
  }
});

describe('The schema of a body', () => {
  const rules = { today: () => '2026-11-21', passwordMinLength: 8 };
  const creation = Compile(NewUser);
  const changes = Compile(UserChanges);
  const good = { username: 'ada', password: 'correct horse' };
  const values: [string, string, unknown[]][] = [
    ['username', 'username', ['a', 'A.b_c+d@e-f', '', ' ', 'ä', 'a'.repeat(150), 'a'.repeat(151), null, 7]],
    ['email', 'email', ['a@b', 'a', 'a@b@c', `${'a'.repeat(252)}@b`, `${'a'.repeat(253)}@b`, null, '', {}]],
    ['first_name', 'firstName', ['', 'Ada', '😀'.repeat(150), '😀'.repeat(151), null]],
    ['last_name', 'lastName', ['', 'x'.repeat(150), 'x'.repeat(151), []]],
    ['birthdate', 'birthdate', ['2000-02-29', '2023-02-30', '2023-2-3', null, 7]],
    [
      'groups',
      'groups',
      [
        [],
        ['User'],
        ['User', 'Leader'],
        ['User', 'User'],
        ['Leader', 'Guest', 'User', 'User'],
        ['leader'],
        [1],
        'User',
        null,
      ],
    ],
    ['is_active', 'isActive', [true, false, null, 'true', 1]],
    ['password', 'password', ['12345678', '1234567', 'x'.repeat(128), 'x'.repeat(129), null, 7]],
    ['division', 'division', ['0190a000-0000-7000-8000-00000000000f', 'x', null]],
  ];
  for (const [wire, field, tried] of values) {
    it(`accepts the same values of \`${wire}\` as the domain`, () => {
      for (const value of tried) {
        const text = typeof value === 'string' ? value.trim() : value;
        const sent = { fields: { [field]: value } };
        const created = checkFields(userChecks(rules), sent).faults.length === 0;
        expect(creation.Check({ ...good, [wire]: text }), `creation ${JSON.stringify(value)}`).to.equal(created);
        const changed = checkFields(userChangeChecks(rules), sent).faults.length === 0;
        expect(changes.Check({ [wire]: text }), `change ${JSON.stringify(value)}`).to.equal(changed);
      }
    });
  }
});
