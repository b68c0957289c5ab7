import {
  checkFields,
  DomainError,
  type FieldFault,
  USER_READ_ONLY,
  userChangeChecks,
  userChecks,
} from '@chapter/domain';
import { expect } from 'chai';
import { Compile } from 'typebox/compile';
import { faultName } from '../../src/errors/wire-fault.ts';
import { makeBodyCheck } from '../../src/requests/request-input.ts';
import { Login } from '../../src/schemas/session.ts';
import { NewUser, UserChanges } from '../../src/schemas/user.ts';

const readOnly = USER_READ_ONLY;
const checkCreation = makeBodyCheck({ schema: NewUser, readOnly });
const checkLogin = makeBodyCheck({ schema: Login });
const names = (faults: readonly FieldFault[]) => faults.map((fault) => `${faultName(fault)} ${fault.code}`);

describe('The check of a body', () => {
  it('returns the sent fields under their domain names', () => {
    const { fields, faults } = checkCreation({
      username: ' ada ',
      password: ' secret ',
      first_name: 'A',
      is_active: false,
    });
    expect(fields).to.deep.equal({ username: ' ada ', password: ' secret ', firstName: 'A', isActive: false });
    expect(faults).to.deep.equal([]);
  });

  it('returns read-only fields, which the domain rejects', () => {
    const { fields, faults } = checkCreation({
      username: 'ada',
      password: 'x'.repeat(8),
      is_staff: true,
      date_joined: 'x',
    });
    expect(fields).to.include({ isStaff: true, dateJoined: 'x' });
    expect(faults).to.deep.equal([]);
  });

  it('rejects unknown fields and suggests the nearest known name', () => {
    const body = JSON.parse('{"username":"ada","password":"12345678","firstName":"A","emial":"b","__proto__":{"x":1}}');
    const { fields, faults } = checkCreation(body);
    expect(Object.keys(fields)).to.deep.equal(['username', 'password']);
    expect(names(faults)).to.deep.equal(['firstName unknown_field', 'emial unknown_field', '__proto__ unknown_field']);
    expect(faults.map(({ detail }) => detail)).to.deep.equal([
      'unknown field `firstName`; did you mean `first_name`?',
      'unknown field `emial`; did you mean `email`?',
      'unknown field `__proto__`',
    ]);
    expect(({} as { x?: number }).x).to.equal(undefined);
  });

  it('finds wrong types and missing fields', () => {
    expect(names(checkLogin({ username: 7 }).faults)).to.deep.equal(['password required', 'username invalid_type']);
    expect(checkLogin({ username: null, password: 'x' }).faults[0]?.detail).to.equal('must be a string');
    expect(checkCreation({ username: 'a', password: 'b', email: 7 }).faults[0]?.detail).to.equal(
      'must be a string or null',
    );
    expect(checkCreation({ username: 'a', password: 'b', groups: 'User' }).faults[0]?.detail).to.equal(
      'must be an array',
    );
  });

  it('reports duplicate names with other faults, but no other fault of the same field', () => {
    const duplicates = new Map([
      ['first_name', 'appears more than once'],
      ['is_staff', 'appears more than once'],
      ['username', 'appears more than once'],
      ['x', 'appears more than once'],
    ]);
    const { faults } = checkCreation({ username: 7, first_name: 'A', is_staff: true, x: 1, email: 7 }, duplicates);
    expect(names(faults)).to.deep.equal([
      'first_name duplicate',
      'is_staff duplicate',
      'username duplicate',
      'x duplicate',
      'x unknown_field',
      'password required',
      'email invalid_type',
    ]);
    expect(faults.map(({ field }) => field)).to.deep.equal([
      'firstName',
      'isStaff',
      'username',
      '',
      '',
      'password',
      'email',
    ]);
  });

  it('does not inspect values', () => {
    const untouchable = (value: object) =>
      new Proxy(value, {
        get: (_, key) => expect.fail(`looked at ${String(key)}`),
        ownKeys: () => expect.fail('looked at the names'),
      });
    for (const groups of [untouchable([]), untouchable({})]) {
      const { faults } = checkCreation({ username: 'ada', password: '12345678', groups });
      expect(names(faults)).to.deep.equal(Array.isArray(groups) ? [] : ['groups invalid_type']);
    }
  });

  it('reports at most 50 faults, and returns the fields after them', () => {
    const unknown = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`field${at}`, 1]));
    const { fields, faults } = checkCreation({ ...unknown, groups: ['Leader'] });
    expect(faults).to.have.lengthOf(50);
    expect(faults.every(({ code }) => code === 'unknown_field')).to.equal(true);
    expect(fields).to.deep.equal({ groups: ['Leader'] });
  });

  for (const body of [null, [], 'x', 7, true]) {
    it(`rejects ${JSON.stringify(body)} as a whole`, () => {
      expect(() => checkCreation(body))
        .to.throw(DomainError)
        .with.deep.property('faults', [{ field: '', code: 'invalid_type', detail: 'must be a JSON object' }]);
    });
  }
});

describe('The schema of a body', () => {
  const today = () => '2026-11-21';
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
        const created =
          checkFields(userChecks({ today, passwordMinLength: 8 }), { [field]: value }).faults.length === 0;
        expect(creation.Check({ ...good, [wire]: text }), `creation ${JSON.stringify(value)}`).to.equal(created);
        const changed =
          checkFields(userChangeChecks({ today, passwordMinLength: 8 }), { [field]: value }).faults.length === 0;
        expect(changes.Check({ [wire]: text }), `change ${JSON.stringify(value)}`).to.equal(changed);
      }
    });
  }
});
