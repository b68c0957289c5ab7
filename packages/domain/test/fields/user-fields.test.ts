import {
  anyString,
  checkFields,
  type FieldCheck,
  type FieldFault,
  nullable,
  text,
  USER_READ_ONLY,
  userChangeChecks,
} from '@chapter/domain/api';
import { expect } from 'chai';

const checks = userChangeChecks({ today: () => '2026-11-21', passwordMinLength: 8 });
const check = (fields: Record<string, unknown>) => checkFields(checks, { fields }, { readOnly: USER_READ_ONLY });
const faultOf = (fields: Record<string, unknown>) => check(fields).faults.map(({ field, code }) => [field, code]);

describe('The fields of a user', () => {
  it('are normalized to the form in which they are stored', () => {
    const { values, faults } = check({
      username: ' Ada ',
      email: 'ada@example.org',
      lastName: 'Love\u0301',
      birthdate: '2000-02-29',
      groups: ['User', 'Leader'],
      division: '0190A000-0000-7000-8000-00000000000F',
      isActive: false,
    });
    expect(faults).to.deep.equal([]);
    expect(values).to.deep.equal({
      username: 'Ada',
      email: 'ada@example.org',
      lastName: 'Lov\u00e9',
      birthdate: '2000-02-29',
      groups: ['Leader', 'User'],
      division: '0190a000-0000-7000-8000-00000000000f',
      isActive: false,
    });
  });

  /** Invalid values with the code of the fault and, once for each, its detail. */
  const wrong: [string, unknown, FieldFault['code'], detail?: string][] = [
    ['username', 7, 'invalid_type', 'must be a string'],
    ['username', null, 'invalid_type'],
    ['username', '  ', 'too_short', 'must not be empty'],
    ['username', 'a'.repeat(151), 'too_long', 'must have at most 150 characters'],
    ['username', 'ada lovelace', 'invalid_format', 'must contain only the characters A-Z a-z 0-9 . _ + @ -'],
    ['username', 'ädä', 'invalid_format'],
    [
      'username',
      ' 0190A000-0000-7000-8000-00000000000F ',
      'invalid_format',
      'must not be a UUID, because a UUID is read as an id',
    ],
    ['email', 'ada', 'invalid_format', 'must be an email address with one @'],
    ['email', '', 'invalid_format'],
    ['email', 'a@b@c', 'invalid_format'],
    ['email', `${'a'.repeat(253)}@b`, 'too_long'],
    ['firstName', null, 'invalid_type'],
    ['firstName', 'a\u202eb', 'invalid_format', 'contains a control or invisible character'],
    [
      'firstName',
      `${'x'.repeat(1000)}${'\u0301'.repeat(31)}`,
      'invalid_format',
      'has more than 30 combining marks in a row',
    ],
    ['lastName', '😀'.repeat(151), 'too_long'],
    ['email', 7, 'invalid_type', 'must be a string or null'],
    ['currentPassword', 7, 'invalid_type', 'must be a string'],
    ['birthdate', '2023-02-30', 'invalid_format', 'must be a date that exists (YYYY-MM-DD)'],
    ['birthdate', '2023-2-3', 'invalid_format'],
    ['birthdate', 20230203, 'invalid_type', 'must be a string or null'],
    ['birthdate', '1899-12-31', 'out_of_range'],
    ['birthdate', '2026-11-22', 'out_of_range'],
    ['groups', 'Leader', 'invalid_type', 'must be an array'],
    ['groups', ['leader'], 'invalid_format', 'must contain only the groups Leader, Guest, User'],
    ['groups', [1], 'invalid_type', 'must be an array of group names'],
    ['groups', ['User', 'User'], 'duplicate', 'must not contain a group twice'],
    ['groups', ['Leader', 'Guest', 'User', 'Guest'], 'duplicate'],
    ['groups', ['Leader', 'Guest', 'User', 'Admin'], 'invalid_format'],
    ['groups', ['Leader', 'Guest', 'User', []], 'invalid_type'],
    ['groups', Array.from({ length: 30_000 }, () => 'User'), 'duplicate'],
    ['isActive', 'true', 'invalid_type', 'must be true or false'],
    ['division', 'x', 'invalid_format', 'must be a UUID'],
    ['division', null, 'invalid_type', 'must be a string'],
    ['password', 7, 'invalid_type', 'must be a string'],
    ['password', 'short', 'too_short', 'must have at least 8 characters'],
    ['password', 'x'.repeat(129), 'too_long', 'must have at most 128 characters'],
    ['password', 'eight\ud800chars', 'invalid_format', 'is not well-formed Unicode'],
    ['password', 'short\0\0\0', 'invalid_format'],
    ['password', 'with\u0001control', 'invalid_format'],
    ['password', 'with\ttab here', 'invalid_format', 'must not contain control characters'],
    ['password', 'with\u007fdelete', 'invalid_format'],
    ['password', 'with\u0085next line', 'invalid_format'],
    ['password', 'ends in a line\n', 'invalid_format'],
    ['id', 'x', 'read_only', 'is read-only'],
    ['isStaff', true, 'read_only'],
    ['isSuperuser', false, 'read_only'],
    ['dateJoined', '2026-01-01T00:00:00.000Z', 'read_only'],
    ['constructor', 1, 'unknown_field'],
    ['nickname', 'a', 'unknown_field', 'is not a field of this request'],
  ];
  for (const [field, value, code, detail] of wrong) {
    it(`are refused: ${field} = ${JSON.stringify(value)?.slice(0, 40)} is ${code}`, () => {
      const { faults } = check({ [field]: value });
      expect(faults.map((fault) => [fault.field, fault.code])).to.deep.equal([[field, code]]);
      if (detail) expect(faults[0]?.detail).to.equal(detail);
    });
  }

  it('accept null where allowed, and values at the limits', () => {
    expect(
      faultOf({ email: null, birthdate: null, firstName: '', lastName: '😀'.repeat(150), groups: [] }),
    ).to.deep.equal([]);
    expect(faultOf({ birthdate: '1900-01-01', username: 'a'.repeat(150), password: 'x'.repeat(128) })).to.deep.equal(
      [],
    );
  });

  it('measure the length of a password in NFKC, untrimmed', () => {
    expect(check({ password: 'ﬁﬁﬁﬁ' }).values.password).to.equal('fifififi');
    expect(check({ password: ' 1234567 ' }).values.password).to.equal(' 1234567 ');
  });

  it('report all faults at once, after those of the adapter, and one for each field', () => {
    const found = [
      { field: 'username', code: 'duplicate', detail: 'appears more than once' },
      { field: 'password', code: 'duplicate', detail: 'appears more than once' },
    ] as const;
    const sent = { fields: { username: 3, email: 'x', isActive: 1 }, faults: found };
    const { faults, values } = checkFields(checks, sent, { required: ['username', 'password', 'birthdate'] });
    expect(faults.map(({ field, code }) => `${field} ${code}`)).to.deep.equal([
      'username duplicate',
      'password duplicate',
      'birthdate required',
      'email invalid_format',
      'isActive invalid_type',
    ]);
    expect(values).to.deep.equal({});
  });

  it('are reported if required and absent', () => {
    const sent = { fields: { username: null } };
    expect(
      checkFields({ username: nullable(anyString) }, sent, { required: ['username', 'password'] }).faults,
    ).to.deep.equal([{ field: 'password', code: 'required', detail: 'is required' }]);
  });

  it('read no more groups than necessary', () => {
    const looked = new Set<string | symbol>();
    const groups = new Proxy(Array(30_000).fill('User'), {
      get: (target, key) => {
        looked.add(key);
        return Reflect.get(target, key);
      },
    });
    expect(faultOf({ groups })).to.deep.equal([['groups', 'duplicate']]);
    expect([...looked].filter((key) => /^\d+$/.test(String(key)))).to.deep.equal(['0', '1', '2', '3']);
  });
});

describe('The check of a text', () => {
  it('names the lower limit in the detail, and has a default for patterns', () => {
    const detailBy = (check: FieldCheck<string>, value: string) => {
      const checked = check(value);
      return 'fault' in checked ? checked.fault.detail : undefined;
    };
    expect(detailBy(text({ min: 3, max: 5 }), 'ab')).to.equal('must have at least 3 characters');
    expect(detailBy(text({ min: 3, max: 5 }), '')).to.equal('must not be empty');
    expect(detailBy(text({ min: 0, max: 5, pattern: /^x/ }), 'y')).to.equal('does not have the expected format');
  });

  it('accepts null if it is nullable', () => {
    expect(nullable(text({ min: 1, max: 2 }))(null)).to.deep.equal({ value: null });
  });
});
