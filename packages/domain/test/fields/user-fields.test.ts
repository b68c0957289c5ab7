import { checkFields, type FieldFault, missingFaults, USER_READ_ONLY, userChecks } from '@chapter/domain';
import { expect } from 'chai';

const checks = userChecks({ today: () => '2026-11-21', passwordMinLength: 8 });
const check = (fields: Record<string, unknown>) => checkFields(checks, fields, { readOnly: USER_READ_ONLY });
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

  const wrong: [string, unknown, FieldFault['code']][] = [
    ['username', 7, 'invalid_type'],
    ['username', null, 'invalid_type'],
    ['username', '  ', 'too_short'],
    ['username', 'a'.repeat(151), 'too_long'],
    ['username', 'ada lovelace', 'invalid_format'],
    ['username', 'ädä', 'invalid_format'],
    ['email', 'ada', 'invalid_format'],
    ['email', '', 'invalid_format'],
    ['email', 'a@b@c', 'invalid_format'],
    ['email', `${'a'.repeat(253)}@b`, 'too_long'],
    ['firstName', null, 'invalid_type'],
    ['firstName', 'a\u202eb', 'invalid_format'],
    ['lastName', '😀'.repeat(151), 'too_long'],
    ['birthdate', '2023-02-30', 'invalid_format'],
    ['birthdate', '2023-2-3', 'invalid_format'],
    ['birthdate', 20230203, 'invalid_type'],
    ['birthdate', '1899-12-31', 'out_of_range'],
    ['birthdate', '2026-11-22', 'out_of_range'],
    ['groups', 'Leader', 'invalid_type'],
    ['groups', ['leader'], 'invalid_format'],
    ['groups', [1], 'invalid_type'],
    ['groups', ['User', 'User'], 'duplicate'],
    ['groups', ['Leader', 'Guest', 'User', 'Guest'], 'duplicate'],
    ['groups', ['Leader', 'Guest', 'User', 'Admin'], 'invalid_format'],
    ['groups', ['Leader', 'Guest', 'User', []], 'invalid_type'],
    ['groups', Array.from({ length: 30_000 }, () => 'User'), 'duplicate'],
    ['isActive', 'true', 'invalid_type'],
    ['division', 'x', 'invalid_format'],
    ['division', null, 'invalid_type'],
    ['password', 7, 'invalid_type'],
    ['password', 'short', 'too_short'],
    ['password', 'x'.repeat(129), 'too_long'],
    ['password', 'eight\ud800chars', 'invalid_format'],
    ['password', 'short\0\0\0', 'invalid_format'],
    ['password', 'with\u0001control', 'invalid_format'],
    ['password', 'with\ttab here', 'invalid_format'],
    ['password', 'with\u007fdelete', 'invalid_format'],
    ['password', 'with\u0085next line', 'invalid_format'],
    ['password', 'ends in a line\n', 'invalid_format'],
    ['id', 'x', 'read_only'],
    ['isStaff', true, 'read_only'],
    ['isSuperuser', false, 'read_only'],
    ['dateJoined', '2026-01-01T00:00:00.000Z', 'read_only'],
    ['constructor', 1, 'unknown_field'],
    ['nickname', 'a', 'unknown_field'],
  ];
  for (const [field, value, code] of wrong) {
    it(`are refused: ${field} = ${JSON.stringify(value)?.slice(0, 40)} is ${code}`, () => {
      expect(faultOf({ [field]: value })).to.deep.equal([[field, code]]);
    });
  }

  it('are called read-only, not assigned by the service, if the operator sets them', () => {
    expect(check({ isStaff: true }).faults).to.deep.equal([
      { field: 'isStaff', code: 'read_only', detail: 'is read-only' },
    ]);
  });

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

  it('report an empty required text as "must not be empty"', () => {
    expect(check({ username: ' ' }).faults).to.deep.equal([
      { field: 'username', code: 'too_short', detail: 'must not be empty' },
    ]);
  });

  it('report all faults at once, after those found before', () => {
    const found = [{ field: 'username', code: 'invalid_type', detail: 'must be a string' }] as const;
    const { faults } = checkFields(checks, { username: 3, email: 'x', isActive: 1 }, { found });
    expect(faults.map(({ field }) => field)).to.deep.equal(['username', 'email', 'isActive']);
  });

  it('are reported if required and absent', () => {
    expect(missingFaults({ username: null }, ['username', 'password'])).to.deep.equal([
      { field: 'password', code: 'required', detail: 'is required' },
    ]);
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
