import {
  type CalendarDate,
  checkFields,
  divisionChecks,
  divisionRules,
  isNormalizable,
  normalizeForLookup,
  passwordRule,
  userChecks,
  userRules,
} from '@chapter/domain/api';
import { expect } from 'chai';
import { expectCheapNormalization, normalizedDuring, swappedMarks } from '../../../../test-support/normalizations.ts';

const today = (): CalendarDate => '2026-11-22';
const checks = { ...userChecks({ today, passwordMinLength: 8 }), ...divisionChecks };
const limits = {
  username: userRules.username.max,
  email: userRules.email.max,
  firstName: userRules.personName.max,
  lastName: userRules.personName.max,
  name: divisionRules.name.max,
  logo: divisionRules.url.max,
  fanpage: divisionRules.url.max,
  password: passwordRule.max,
};

describe('Text before normalization', () => {
  it('may have 8 UTF-16 units for each code point', () => {
    expect(isNormalizable('x'.repeat(800), 100)).to.equal(true);
    expect(isNormalizable('x'.repeat(801), 100)).to.equal(false);
  });

  it('may have up to 30 combining marks in a row, or any number up to 1,024 units', () => {
    const letters = 'x'.repeat(1000);
    expect(isNormalizable(`${letters}${'\u0301'.repeat(30)}x`, 2048)).to.equal(true);
    expect(isNormalizable(`${letters}${'\u0301'.repeat(31)}x`, 2048)).to.equal(false);
    expect(isNormalizable(swappedMarks(1024), 2048)).to.equal(true);
    expect(isNormalizable(swappedMarks(1025), 2048)).to.equal(false);
  });

  it('may have the longest composition and surrounding white space', () => {
    const composed = 'α\u0313\u0300\u0345';
    expect(composed.normalize('NFC')).to.have.lengthOf(1);
    const { values } = checkFields(checks, { fields: { firstName: `${' '.repeat(300)}${composed.repeat(150)}\n` } });
    expect(values.firstName).to.equal('ᾂ'.repeat(150));
  });

  it('has an empty lookup form if it is too long for a name', () => {
    expect(normalizeForLookup(' E\u0301 ', 150)).to.equal('é');
    expect(normalizeForLookup('x'.repeat(1201), 150)).to.equal('');
  });

  for (const [field, max] of Object.entries(limits)) {
    for (const units of [max * 8, max * 8 + 1, 65_536]) {
      it(`of ${units} units is checked in linear time as ${field}`, async () => {
        for (const text of [swappedMarks(units), ' '.repeat(units), 'x'.repeat(units)]) {
          const texts = await normalizedDuring(() => {
            const { faults } = checkFields(checks, { fields: { [field]: text } });
            if (units > max * 8) expect(faults.map(({ code }) => code)).to.deep.equal(['too_long']);
          });
          for (const normalized of texts) expectCheapNormalization(normalized, max * 8);
        }
      });
    }
  }

  it('is invalid_format if a long text has too many marks in a row', () => {
    const { faults } = checkFields(checks, { fields: { logo: `https://example.org/${swappedMarks(2000)}` } });
    expect(faults.map(({ code }) => code)).to.deep.equal(['invalid_format']);
  });
});
