import {
  checkFields,
  divisionChecks,
  type FieldCheck,
  nullable,
  text,
  USER_READ_ONLY,
  userChangeChecks,
} from '@chapter/domain';
import { expect } from 'chai';

const checks = userChangeChecks({ today: () => '2026-11-21', passwordMinLength: 8 });

/** Returns the detail of the only fault of a value. */
const detailOf = (field: string, value: unknown): string | undefined => {
  const { faults } = checkFields(checks, { [field]: value }, { readOnly: USER_READ_ONLY });
  expect(faults).to.have.length(1);
  return faults[0]?.detail;
};

const details: readonly (readonly [string, unknown, string])[] = [
  ['username', 7, 'must be a string'],
  ['username', '', 'must not be empty'],
  ['username', 'x'.repeat(151), 'must have at most 150 characters'],
  ['username', 'a b', 'must contain only the characters A-Z a-z 0-9 . _ + @ -'],
  ['email', 'ada', 'must be an email address with one @'],
  ['firstName', 'a\u200bb', 'contains a control or invisible character'],
  ['firstName', `${'x'.repeat(1000)}${'\u0301'.repeat(31)}`, 'has more than 30 combining marks in a row'],
  ['isActive', 'true', 'must be true or false'],
  ['groups', 'Leader', 'must be an array of group names'],
  ['groups', [7], 'must be an array of group names'],
  ['groups', ['Boss'], 'must contain only the groups Leader, Guest, User'],
  ['groups', ['User', 'User'], 'must not contain a group twice'],
  ['division', 7, 'must be the id of a division'],
  ['division', 'x', 'must be a UUID'],
  ['password', 7, 'must be a string'],
  ['password', '\ud800', 'is not well-formed Unicode'],
  ['password', 'a tab\t in it', 'must not contain control characters'],
  ['password', 'short', 'must have at least 8 characters'],
  ['password', 'x'.repeat(129), 'must have at most 128 characters'],
  ['currentPassword', 7, 'must be a string'],
  ['id', 'x', 'is read-only'],
  ['nickname', 'x', 'is not a field of this request'],
];

describe('The detail of a fault', () => {
  for (const [field, value, detail] of details) {
    it(`of ${field} ${JSON.stringify(value).slice(0, 20)} is: ${detail}`, () => {
      expect(detailOf(field, value)).to.equal(detail);
    });
  }

  it('names the lower limit of a non-empty text, and has a default for patterns', () => {
    const detailBy = (check: FieldCheck<string>, value: string) => {
      const checked = check(value);
      return 'fault' in checked ? checked.fault.detail : undefined;
    };
    expect(detailBy(text({ min: 3, max: 5 }), 'ab')).to.equal('must have at least 3 characters');
    expect(detailBy(text({ min: 3, max: 5 }), '')).to.equal('must not be empty');
    expect(detailBy(text({ min: 0, max: 5, pattern: /^x/ }), 'y')).to.equal('does not have the expected format');
  });
});

describe('nullable', () => {
  it('accepts null', () => {
    expect(nullable(text({ min: 1, max: 2 }))(null)).to.deep.equal({ value: null });
    expect(checkFields(divisionChecks, { logo: null }).values).to.deep.equal({ logo: null });
  });
});
