import { expect } from 'chai';
import { formatCount, parseDateOrInstant } from '../../src/text/text.ts';

describe('A formatted count', () => {
  it('is followed by the singular or the plural', () => {
    const counts = [0, 1, 2, 12_345].map((count) => formatCount(count, 'user'));
    expect(counts).to.deep.equal(['0 users', '1 user', '2 users', '12,345 users']);
    const plurals = ['entry', 'key'].map((thing) => formatCount(2, thing));
    expect(plurals).to.deep.equal(['2 entries', '2 keys']);
  });
});

describe('parseDateOrInstant', () => {
  const instants: [string, string | undefined][] = [
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T12:30Z', '2026-01-31T12:30:00.000Z'],
    ['2026-01-31t12:30:15.123456789+01:00', '2026-01-31T11:30:15.123Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
    ['9999-12-31T23:59:59-01:00', undefined],
    ['0001-01-01T00:00:00+01:00', undefined],
    ['2026-02-30', undefined],
    ['2026-01-31T25:00Z', undefined],
    ['2026-01-31T12:30', undefined],
    ['31.1.2026', undefined],
    ['', undefined],
  ];
  for (const [text, instant] of instants) {
    it(`reads ${text || 'an empty text'} as ${instant ?? 'no instant'}`, () => {
      expect(parseDateOrInstant(text)).to.equal(instant);
    });
  }
});
