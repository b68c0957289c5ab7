import { isInstant, parseInstant, snakeCase } from '@chapter/domain/ports';
import { expect } from 'chai';

describe('An instant', () => {
  it('has one format, in years of four digits', () => {
    expect(isInstant('2026-01-31T12:30:15.123Z')).to.equal(true);
    expect(isInstant('0001-01-01T00:00:00.000Z')).to.equal(true);
    for (const text of [
      '',
      'now',
      '2026-01-31',
      '2026-01-31T12:30:15Z',
      '2026-02-30T00:00:00.000Z',
      '0000-01-01T00:00:00.000Z',
      '-000001-01-01T00:00:00.000Z',
      '+010000-01-01T00:00:00.000Z',
    ]) {
      expect(isInstant(text), text).to.equal(false);
    }
  });

  it('is parsed from the notations that a pattern accepts, unless the day does not exist', () => {
    const read = (text: string) => parseInstant(text, /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2})$/);
    expect(read('2026-01-31T12:30+01:00')).to.equal('2026-01-31T11:30:00.000Z');
    for (const text of ['2026-01-31', '2026-02-30T12:30Z', '2026-01-31T25:00Z', '9999-12-31T23:30-01:00']) {
      expect(read(text), text).to.equal(undefined);
    }
    expect(read('0001-01-01T00:00+01:00')).to.equal(undefined);
  });
});

describe('snakeCase', () => {
  it('separates the words of a name', () => {
    expect(['id', 'firstName', 'isSuperuser'].map(snakeCase)).to.deep.equal(['id', 'first_name', 'is_superuser']);
  });
});
