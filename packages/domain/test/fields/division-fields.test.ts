import { checkFields, DIVISION_READ_ONLY, divisionChecks } from '@chapter/domain/api';
import { expect } from 'chai';

const faultOf = (fields: Record<string, unknown>) =>
  checkFields(divisionChecks, { fields }, { readOnly: DIVISION_READ_ONLY }).faults.map(({ code }) => code);

describe('The fields of a division', () => {
  for (const url of [
    'http://example.org',
    'https://example.org/logo.png?size=2#top',
    'HTTPS://user:secret@example.org:8443/',
    'http://[::1]/x',
    'https://bücher.example/ä',
    'https://example.org:65535?x=:99999',
    'https://user:99999@example.org/:99999',
    'https://example.org/a//b:99999',
  ]) {
    it(`accept the URL ${url}`, () => {
      expect(faultOf({ logo: url, fanpage: url })).to.deep.equal([]);
    });
  }

  for (const url of [
    '',
    'example.org',
    'ftp://example.org',
    'javascript:alert(1)',
    'https://',
    'http://a b',
    'http:///x',
    'https://a/<b>',
    'https://example.org:65536/',
    'https://user:1@[::1]:99999',
  ]) {
    it(`refuse ${JSON.stringify(url)} as a URL`, () => {
      expect(faultOf({ logo: url })).to.deep.equal(['invalid_format']);
    });
  }

  it('limit the length of URLs and the name', () => {
    expect(faultOf({ logo: `https://a/${'x'.repeat(2038)}` })).to.deep.equal([]);
    expect(faultOf({ logo: `https://a/${'x'.repeat(2039)}` })).to.deep.equal(['too_long']);
    expect(faultOf({ name: '' })).to.deep.equal(['too_short']);
    expect(faultOf({ name: 'n'.repeat(151) })).to.deep.equal(['too_long']);
  });

  it('accept every name but a UUID', () => {
    expect(faultOf({ name: '0190a000-0000-7000-8000-00000000000F' })).to.deep.equal(['invalid_format']);
    expect(faultOf({ name: '0190a000-0000-7000-8000-00000000000' })).to.deep.equal([]);
  });

  it('accept null for URLs but not for the name, and reject a sent id', () => {
    expect(faultOf({ logo: null, fanpage: null })).to.deep.equal([]);
    expect(faultOf({ name: null, id: 'x', color: 'red' })).to.deep.equal([
      'invalid_type',
      'read_only',
      'unknown_field',
    ]);
  });
});
