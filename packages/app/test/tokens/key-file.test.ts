import {
  chmodSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeSettableClock } from '@chapter/domain/testing';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';
import { makeAccessTokens, openKeyFile } from '../../src/tokens/jose-access-tokens.ts';
import { ensureKeyFile, keyFileFault, rotated, rotateKeyFile } from '../../src/tokens/key-file.ts';
import { generateKey, keySetText, parseKeySet } from '../../src/tokens/key-set.ts';
import { claims, settings, subject } from './forge.ts';

describe('The key file', () => {
  let dir: string;
  let file: string;
  const write = (text: string): void => writeFileSync(file, text);

  beforeEach(() => {
    dir = makeFolder();
    file = join(dir, 'keys.json');
  });

  it('is created together with its directory', () => {
    const nested = join(dir, 'data', 'chapter', 'keys.json');
    ensureKeyFile(nested);
    expect(openKeyFile(nested).current()[0].alg).to.equal('EdDSA');
    expect(statSync(join(dir, 'data')).mode & 0o777).to.equal(0o700);
  });

  it('cannot be created if a part of the path is a file', () => {
    write('');
    expect(() => ensureKeyFile(join(file, 'keys.json'))).to.throw(
      OperatorError,
      /a file with that name|not a directory/,
    );
  });

  it('may omit kid, alg and use', () => {
    const { alg: _alg, kid, use: _use, ...bare } = generateKey('EdDSA');
    write(JSON.stringify({ keys: [bare] }));
    expect(openKeyFile(file).current()[0]).to.include({ kid, alg: 'EdDSA' });
  });

  const key = generateKey('EdDSA');
  const { d: _, ...publicOnly } = key;
  const faults: [string, unknown, RegExp][] = [
    ['text', 'hello', /^it is not JSON$/],
    ['another value', [], /^it is not a JWK set/],
    ['no key', { keys: [] }, /^it contains no key$/],
    ['a public key only', { keys: [publicOnly] }, /^key 1 has no private part \(d\)$/],
    ['a secret for HMAC', { keys: [key, { kty: 'oct', k: 'AAAA' }] }, /^key 2 is neither/],
    [
      'a key of two pairs',
      { keys: [{ ...key, x: generateKey('EdDSA')['x'] }] },
      /^key 1 is invalid, or its public and private parts do not match$/,
    ],
    [
      'a P-256 key of two pairs',
      { keys: [{ ...generateKey('ES256'), y: generateKey('ES256')['y'] }] },
      /^key 1 is invalid/,
    ],
    ['a broken key', { keys: [{ ...key, d: 'AA' }] }, /^key 1 is invalid/],
    ['two keys of one name', { keys: [key, { ...generateKey('EdDSA'), kid: key['kid'] }] }, /^two keys have the kid/],
    ['a key for something else', { keys: [{ ...key, alg: 'RS256' }] }, /but its alg names another algorithm$/],
    ['no objects', { keys: ['x'] }, /^key 1 is not a JSON object$/],
  ];
  for (const [title, content, fault] of faults) {
    it(`is rejected with ${title}`, () => {
      write(typeof content === 'string' ? content : JSON.stringify(content));
      expect(keyFileFault(file)).to.match(fault).and.not.include(String(key['d']));
      expect(() => openKeyFile(file)).to.throw(OperatorError, /^Cannot read signing keys from .*keys\.json: .*\.$/);
    });
  }

  it('is rejected if it does not exist', () => {
    expect(keyFileFault(file)).to.equal('no such file or directory');
  });

  it('keeps all users logged in to all services when it is rotated', async () => {
    ensureKeyFile(file);
    const clock = makeSettableClock();
    const [one, other] = [0, 1].map(() => makeAccessTokens(openKeyFile(file), settings, clock));
    const issued: string[] = [];
    for (let rotation = 0; rotation < 5; rotation++) {
      issued.push((await one?.issue(claims, '9999-12-31T23:59:59.999Z'))?.token ?? '');
      const before = openKeyFile(file)
        .current()
        .map(({ kid }) => kid);
      const { check, signs } = rotateKeyFile(file);
      expect([signs, ...check]).to.deep.equal([signs, ...before]);
      // A newly started service signs with the new key. The others have not reloaded the file yet.
      issued.push(
        (await makeAccessTokens(openKeyFile(file), settings, clock).issue(claims, '9999-12-31T23:59:59.999Z')).token,
      );
      for (const token of issued) {
        expect(await one?.verify(token)).to.deep.equal(subject);
        expect(await other?.verify(token)).to.deep.equal(subject);
      }
    }
    expect(one?.keys().keys).to.have.length(6);
  });

  it('keeps its owner, mode and path when it is rotated, even through a symbolic link', () => {
    ensureKeyFile(file);
    chmodSync(file, 0o640);
    symlinkSync('keys.json', join(dir, 'link.json'));
    const { signs } = rotateKeyFile(join(dir, 'link.json'), 'ES256');
    expect(openKeyFile(file).current()[0]).to.include({ kid: signs, alg: 'ES256' });
    expect(statSync(file).mode & 0o777).to.equal(0o640);
    expect(readdirSync(dir)).to.have.members(['keys.json', 'link.json']);
  });

  it('is not rotated twice at once, also through a symbolic link, nor without valid keys', () => {
    ensureKeyFile(file);
    const before = readFileSync(file, 'utf8');
    writeFileSync(`${file}.new`, '');
    symlinkSync('keys.json', join(dir, 'link.json'));
    expect(() => rotateKeyFile(join(dir, 'link.json'))).to.throw(
      OperatorError,
      `Another rotation is running or was interrupted; if none is running, delete ${realpathSync(file)}.new.`,
    );
    expect(readFileSync(file, 'utf8')).to.equal(before);
    write('{}');
    expect(() => rotateKeyFile(file)).to.throw(OperatorError, /not a JWK set/);
    write('{"keys":[]}');
    expect(() => rotateKeyFile(file, 'ES256')).to.throw(OperatorError, /it contains no key/);
    expect(() => rotateKeyFile(join(dir, 'none'))).to.throw(OperatorError, /no such file/);
  });

  it('drops a key one day after it was replaced, when all its tokens have expired', () => {
    const [a, b, c] = [generateKey('EdDSA'), generateKey('EdDSA'), generateKey('EdDSA')];
    const first = rotated([a], b, 1000);
    expect(first).to.deep.equal([b, { retired_at: 1000, ...a }]);
    expect(rotated(first, c, 1000 + 86_400)).to.have.length(3);
    expect(rotated(first, c, 1000 + 86_401).map(({ kid }) => kid)).to.deep.equal([c['kid'], b['kid']]);
    expect(parseKeySet(keySetText(first))).to.have.length(2);
  });

  it('keeps the previous keys if it becomes unreadable, and reports it once', () => {
    ensureKeyFile(file);
    const reports: string[] = [];
    const keys = openKeyFile(file, (sentence) => reports.push(sentence));
    const before = keys.current();
    write('{');
    expect([keys.latest(), keys.latest()]).to.deep.equal([before, before]);
    expect(reports).to.deep.equal([
      `Cannot reload the signing keys from ${file}: it is not JSON. The previous keys stay in use.`,
    ]);
    write(keySetText([generateKey('ES256')]));
    expect(keys.latest()[0].alg).to.equal('ES256');
    rmSync(file);
    expect(keys.latest()[0].alg).to.equal('ES256');
    expect(reports).to.have.length(2);
  });
});
