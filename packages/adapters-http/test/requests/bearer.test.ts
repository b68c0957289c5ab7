import { DomainError } from '@chapter/domain';
import { expect } from 'chai';
import { bearerToken } from '../../src/requests/headers.ts';

describe('A bearer token', () => {
  const good: [string, string][] = [
    ['Bearer a.b-c_d~e+f/g==', 'a.b-c_d~e+f/g=='],
    ['bearer x', 'x'],
    ['BEARER   x', 'x'],
  ];
  for (const [header, token] of good) {
    it(`is read from \`${header}\``, () => expect(bearerToken(header)).to.equal(token));
  }

  const bad: [string | undefined, string][] = [
    [undefined, 'authentication_required'],
    ['', 'authentication_required'],
    ['Basic YTpi', 'authentication_required'],
    ['Bearerx', 'authentication_required'],
    ['x', 'authentication_required'],
    ['Bearer', 'invalid_token'],
    ['Bearer ', 'invalid_token'],
    ['Bearer a b', 'invalid_token'],
    ['Bearer a,b', 'invalid_token'],
    ['Bearer a=b', 'invalid_token'],
    ['Bearer "a"', 'invalid_token'],
    [`Bearer ${'a'.repeat(4097)}`, 'invalid_token'],
  ];
  for (const [header, code] of bad) {
    it(`is ${code} in \`${header?.slice(0, 20)}\``, () => {
      expect(() => bearerToken(header))
        .to.throw(DomainError)
        .with.property('code', code);
    });
  }
});
