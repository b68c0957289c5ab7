import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { useServedChapter } from '../support/chapter.ts';
import { faultsOf } from '../support/send.ts';

const json = 'application/json';
const merge = 'application/merge-patch+json';

describe('A body', () => {
  const chapter = useServedChapter();

  const patch = (raw: string | Buffer, type: string | undefined, headers: Record<string, string> = {}) =>
    chapter.send('PATCH', `/api/users/${chapter.user.id}`, {
      as: chapter.leader,
      raw,
      headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
    });

  for (const type of [
    json,
    merge,
    `${json}; charset=utf-8`,
    `${json};charset="UTF-8"`,
    'APPLICATION/JSON',
    `${json}; x=y`,
  ]) {
    it(`is read as ${type}`, async () => expect(await patch('{}', type)).to.include({ status: 200 }));
  }

  const otherTypes = [
    undefined,
    '',
    'json',
    'text/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json-patch+json',
    'application/jsonx',
    `${json}; charset=latin1`,
    `${json}; charset=utf-16`,
    `${json}, ${json}`,
  ];
  for (const type of otherTypes) {
    it(`is 415 as ${type}`, async () => {
      const { status, body } = await patch('{}', type);
      expect(status).to.equal(415);
      expect(body.code).to.equal('unsupported_media_type');
    });
  }

  it('has a Content-Type of at most 255 characters', async () => {
    const padded = (length: number) => `${json};${' '.repeat(length - json.length - 4)}x=y`;
    expect(padded(255)).to.have.lengthOf(255);
    expect(await patch('{}', padded(255))).to.include({ status: 200 });
    expect(await patch('{}', padded(256))).to.include({ status: 415 });
  });

  it('may be a merge patch only in a PATCH', async () => {
    const { send, leader } = chapter;
    const sending = { as: leader, raw: '{}', headers: { 'content-type': merge } };
    expect(await send('POST', '/api/users/', sending)).to.include({ status: 415 });
    expect(await send('POST', '/api/auth/login/', sending)).to.include({ status: 415 });
  });

  it('must not be compressed', async () => {
    for (const coding of ['gzip', 'deflate', 'br', 'GZIP', 'identity, gzip', 'x']) {
      const { status, headers } = await patch(gzipSync('{}'), json, { 'content-encoding': coding });
      expect(status, coding).to.equal(415);
      expect(headers['accept-encoding']).to.equal('identity');
    }
    expect(await patch('{}', json, { 'content-encoding': 'identity' })).to.include({ status: 200 });
  });

  const malformed: [string, string | Buffer][] = [
    ['nothing', ''],
    ['not JSON', 'username=a'],
    ['malformed UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
    ['nested 6,000 levels deep', `{"groups":${'['.repeat(6000)}${']'.repeat(6000)}}`],
  ];
  for (const [description, raw] of malformed) {
    it(`is 400 if it is ${description}`, async () => {
      const { status, body } = await patch(raw, json);
      expect(status).to.equal(400);
      expect(body.code).to.equal('malformed_json');
    });
  }

  it('is 400 if it is missing, for every media type', async () => {
    const { send, leader, user } = chapter;
    for (const headers of [{}, { 'content-type': json }, { 'content-length': '0' }] as Record<string, string>[]) {
      expect(await send('PATCH', `/api/users/${user.id}`, { as: leader, headers })).to.include({ status: 400 });
    }
  });

  it('may have 64 KiB and is 413 with one byte more', async () => {
    const full = (bytes: number) => `{"x":"${'x'.repeat(bytes - 8)}"}`;
    const [last, over] = [await patch(full(65_536), json), await patch(full(65_537), json)];
    expect(faultsOf(last)).to.deep.equal(['x unknown_field']);
    expect(over.status).to.equal(413);
    const chunked = await chapter.send('PATCH', `/api/users/${chapter.user.id}`, {
      as: chapter.leader,
      raw: full(200_000),
      headers: { 'content-type': json, 'transfer-encoding': 'chunked', 'content-length': [] },
    });
    expect(chunked.status).to.equal(413);
  });

  it('of 64 KiB of unknown fields gets a shorter response', async () => {
    let raw = '{"f":1';
    for (let at = 0; raw.length < 65_000; at++) raw += `,"f${at}":1`;
    const response = await patch(`${raw}}`, json);
    expect(response.status).to.equal(422);
    expect(faultsOf(response)).to.have.lengthOf(50);
    expect(response.text.length).to.be.lessThan(8192);
  });

  const hostile: [string, string, string[]][] = [
    ['a `__proto__` member', '{"__proto__":{"is_staff":true},"last_name":"A"}', ['__proto__ unknown_field']],
    [
      'a `constructor` member',
      '{"constructor":{"prototype":{}},"toString":1}',
      ['constructor unknown_field', 'toString unknown_field'],
    ],
    ['domain names', '{"firstName":"A","isStaff":true}', ['firstName unknown_field', 'isStaff unknown_field']],
    [
      'options of the operator',
      '{"force":true,"hours":1,"kind":"operator"}',
      ['force', 'hours', 'kind'].map((name) => `${name} unknown_field`),
    ],
    ['a lone surrogate as a name', '{"\\udfff":1}', ['\ufffd unknown_field']],
    ['a huge number', '{"last_name":1e999}', ['last_name invalid_type']],
    ['an empty name', '{"":1}', [' unknown_field']],
    ['null', 'null', [' invalid_type']],
  ];
  for (const [description, raw, faults] of hostile) {
    it(`is safe with ${description}`, async () => {
      const response = await patch(raw, json);
      expect(response.status).to.equal(422);
      expect(faultsOf(response)).to.deep.equal(faults);
    });
  }

  const groups: [string, string][] = [
    ['nested 32 levels deep', `${'['.repeat(31)}${']'.repeat(31)}`],
    ['of 30,000 numbers', `[${Array(30_000).fill(1).join(',')}]`],
  ];
  for (const [description, value] of groups) {
    it(`is 422 with groups ${description}`, async () => {
      const response = await patch(`{"groups":${value}}`, json);
      expect(faultsOf(response)).to.deep.equal(['groups invalid_type']);
    });
  }

  it('of a login must have exactly username and password', async () => {
    const login = (sent: object) => chapter.send('POST', '/api/auth/login/', { json: sent });
    expect(faultsOf(await login({}))).to.deep.equal(['username required', 'password required']);
    expect(faultsOf(await login({ username: 'a', password: null, remember: true }))).to.deep.equal([
      'remember unknown_field',
      'password invalid_type',
    ]);
    const refresh = await chapter.send('POST', '/api/auth/tokens/', { json: { refreshToken: 'x' } });
    expect(faultsOf(refresh)).to.deep.equal(['refreshToken unknown_field', 'refresh_token required']);
  });
});

describe('A body with duplicate names', () => {
  const chapter = useServedChapter();

  const headers = { 'content-type': 'application/json' };

  it('is 422 with a duplicate name, together with its other faults', async () => {
    const raw = '{"email":7,"emial":1,"last_name":"a","birthdate":"2023-02-30","last_name":"b"}';
    const { leader, send, user } = chapter;
    const refused = await send('PATCH', `/api/users/${user.id}`, { as: leader, raw, headers });
    expect(refused.status).to.equal(422);
    expect(faultsOf(refused)).to.deep.equal([
      'last_name duplicate',
      'emial unknown_field',
      'email invalid_type',
      'birthdate invalid_format',
    ]);
  });

  it('is 422 with a duplicate name at login, refresh and logout', async () => {
    const login = '{"username":"leader","password":"x","password":"leader-secret"}';
    const refused = await chapter.send('POST', '/api/auth/login/', { raw: login, headers });
    expect(faultsOf(refused)).to.deep.equal(['password duplicate']);
    const tokens = '{"refresh_token":"x","refresh_token":"y"}';
    for (const method of ['POST', 'DELETE']) {
      const response = await chapter.send(method, '/api/auth/tokens/', { raw: tokens, headers });
      expect(faultsOf(response)).to.deep.equal(['refresh_token duplicate']);
    }
  });
});
