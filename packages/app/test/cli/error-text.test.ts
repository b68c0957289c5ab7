import { unavailable } from '@chapter/domain/ports';
import { expect } from 'chai';
import { errorText } from '../../src/cli/error-text.ts';

describe('The text of an error of the database', () => {
  for (const [cause, text] of [
    [new Error('refused (SQLSTATE 55P03)'), 'Another transaction holds a lock that the command needs; try again.'],
    [new Error('refused (SQLSTATE 53100)'), 'The disk of the database is full; free some space on it, then try again.'],
    [new Error('refused (SQLSTATE 53300)'), 'The database cannot be reached or is overloaded; try again.'],
    [undefined, 'The database cannot be reached or is overloaded; try again.'],
  ] as const) {
    it(`is "${text}" after ${String(cause)}`, () => {
      expect(errorText(unavailable(cause))).to.equal(text);
    });
  }
});
