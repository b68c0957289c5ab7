import { DomainError } from '@chapter/domain';
import { expect } from 'chai';
import {
  bearerToken,
  clientNetwork,
  entityTag,
  isNotModified,
  networkOf,
  revisionsOf,
} from '../../src/requests/headers.ts';

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

describe('If-Match', () => {
  const cases: [string | undefined, readonly string[] | undefined][] = [
    [undefined, undefined],
    ['*', undefined],
    ['"1.2"', ['1.2']],
    ['"1.2", "3"', ['1.2', '3']],
    [' "a,b" ,, "c"', ['a,b', 'c']],
    ['W/"1.2"', []],
    ['W/"1.2", "3"', ['3']],
    ['""', ['']],
    ['', []],
    ['1.2', []],
    ['"1.2', []],
    ['"1.2" "3"', []],
    ['"1.2", *', []],
  ];
  for (const [header, expected] of cases) {
    it(`accepts ${JSON.stringify(expected) ?? 'any revision'} for \`${header}\``, () => {
      expect(revisionsOf(header)).to.deep.equal(expected);
    });
  }
});

describe('If-None-Match', () => {
  const tag = entityTag('1.2');
  const cases: [string | undefined, boolean][] = [
    [undefined, false],
    ['*', true],
    ['"1.2"', true],
    ['W/"1.2"', true],
    ['"0", "1.2"', true],
    ['"1"', false],
    ['1.2', false],
    ['', false],
  ];
  for (const [header, expected] of cases) {
    it(`${expected ? 'matches' : 'does not match'} the tag with \`${header}\``, () => {
      expect(isNotModified(header, tag)).to.equal(expected);
    });
  }
});

describe('A network', () => {
  const cases: [string, string | undefined][] = [
    ['192.0.2.77', '192.0.2.0/24'],
    [' 192.0.2.77 ', '192.0.2.0/24'],
    ['192.0.2.77:5000', '192.0.2.0/24'],
    ['::ffff:192.0.2.77', '192.0.2.0/24'],
    ['[::ffff:c000:24d]:80', '192.0.2.0/24'],
    ['2001:DB8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
    ['[2001:db8:0:1::9]:443', '2001:db8:0:1::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::/64'],
    ['', undefined],
    ['unknown', undefined],
    ['192.0.2', undefined],
    ['3221225985', undefined],
    ['0x7f.1', undefined],
    ['192.0.2.256', undefined],
    ['192.0.2.7/24', undefined],
  ];
  for (const [address, network] of cases) {
    it(`of \`${address}\` is ${network}`, () => expect(networkOf(address)).to.equal(network));
  }
});

describe('The network of a client', () => {
  const peer = '10.0.0.1';
  const cases: [string, string | undefined, number, string][] = [
    ['is that of the peer without a proxy', undefined, 0, '10.0.0.0/24'],
    ['is that of the peer if no proxy is trusted', '203.0.113.9', 0, '10.0.0.0/24'],
    ['is the address that the only proxy appended', '198.51.100.1, 203.0.113.9', 1, '203.0.113.0/24'],
    [
      'is the address that the outer of two proxies appended',
      '192.0.2.1, 198.51.100.1, 203.0.113.9',
      2,
      '198.51.100.0/24',
    ],
    ['is the first address if there are fewer than trusted proxies', '203.0.113.9', 3, '203.0.113.0/24'],
    ['is that of the peer if the header is missing', undefined, 1, '10.0.0.0/24'],
    ['is that of the peer if the header has no address', 'who knows', 1, '10.0.0.0/24'],
    ['is that of the peer if the header is empty', '', 1, '10.0.0.0/24'],
  ];
  for (const [title, forwarded, proxies, network] of cases) {
    it(title, () => expect(clientNetwork(peer, forwarded, proxies)).to.equal(network));
  }

  it('is the same for all clients with an unknown address', () => {
    expect(clientNetwork(undefined, undefined, 0)).to.equal('unknown');
  });
});
