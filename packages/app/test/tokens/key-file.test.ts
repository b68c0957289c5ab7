import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSettableClock } from '@chapter/domain/testing';
import { expect } from 'chai';
import { OperatorError } from '../../src/errors/operator-error.ts';
import { makeAccessTokens, openKeyFile } from '../../src/tokens/jose-access-tokens.ts';
import { ensureKeyFile, keyFileFault } from '../../src/tokens/key-file.ts';
import { parseKeySet } from '../../src/tokens/key-set.ts';
import { generateKey, keySetText, rotated } from '../../src/tokens/make-keys.ts';
import { rotateKeyFile } from '../../src/tokens/rotate-key-file.ts';
import { claims, settings, subject } from './forge.ts';

describe('The key file', () => {
  let dir: string;
  let file: string;
  const write = (text: string): void => writeFileSync(file, text);

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'chapter-keys-'));
    file = join(dir, 'keys.json');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('is made once, for its owner alone', () => {
    ensureKeyFile(file);
    const made = readFileSync(file, 'utf8');
    ensureKeyFile(file);
    expect(readFileSync(file, 'utf8')).to.equal(made);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(readdirSync(dir)).to.deep.equal(['keys.json']);
    expect(openKeyFile(file).current()[0].alg).to.equal('EdDSA');
  });

  it('is made together with the directory it belongs in', () => {
    const nested = join(dir, 'data', 'chapter', 'keys.json');
    ensureKeyFile(nested);
    expect(openKeyFile(nested).current()[0].alg).to.equal('EdDSA');
    expect(statSync(join(dir, 'data')).mode & 0o777).to.equal(0o700);
  });

  it('cannot be made where a part of the path is a file', () => {
    write('');
    expect(() => ensureKeyFile(join(file, 'keys.json'))).to.throw(
      OperatorError,
      /a file with that name|not a directory/,
    );
  });

  it('may have Ed25519 and P-256 keys together', () => {
    write(keySetText([generateKey('ES256'), generateKey('EdDSA')]));
    expect(
      openKeyFile(file)
        .current()
        .map(({ alg }) => alg),
    ).to.deep.equal(['ES256', 'EdDSA']);
  });

  it('may leave names and algorithms out', () => {
    const { alg: _alg, kid, use: _use, ...bare } = generateKey('EdDSA');
    write(JSON.stringify({ keys: [bare] }));
    expect(openKeyFile(file).current()[0]).to.include({ kid, alg: 'EdDSA' });
  });

  const key = generateKey('EdDSA');
  const { d: _, ...publicOnly } = key;
  const faults: [string, unknown, RegExp][] = [
    ['text', 'hello', /^it is not JSON$/],
    ['another value', [], /^it is no JWK set/],
    ['no key', { keys: [] }, /^it has no key$/],
    ['a public key only', { keys: [publicOnly] }, /^key 1 has no private part \(d\)$/],
    ['a secret for HMAC', { keys: [key, { kty: 'oct', k: 'AAAA' }] }, /^key 2 is neither/],
    [
      'a key of two pairs',
      { keys: [{ ...key, x: generateKey('EdDSA')['x'] }] },
      /^key 1 is broken, or its public part belongs to another$/,
    ],
    [
      'a P-256 key of two pairs',
      { keys: [{ ...generateKey('ES256'), y: generateKey('ES256')['y'] }] },
      /^key 1 is broken/,
    ],
    ['a broken key', { keys: [{ ...key, d: 'AA' }] }, /^key 1 is broken/],
    ['two keys of one name', { keys: [key, { ...generateKey('EdDSA'), kid: key['kid'] }] }, /^two keys have the kid/],
    ['a key for something else', { keys: [{ ...key, alg: 'RS256' }] }, /says that it is for another alg$/],
    ['no objects', { keys: ['x'] }, /^key 1 is no JSON object$/],
  ];
  for (const [title, content, fault] of faults) {
    it(`is refused with ${title}`, () => {
      write(typeof content === 'string' ? content : JSON.stringify(content));
      expect(keyFileFault(file)).to.match(fault).and.not.include(String(key['d']));
      expect(() => openKeyFile(file)).to.throw(OperatorError, /^There are no signing keys in .*keys\.json: .*\.$/);
    });
  }

  it('is refused where it is not there', () => {
    expect(keyFileFault(file)).to.equal('no such file or directory');
  });

  it('is rotated with nobody logged out, at any of several services', async () => {
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
      // A service that has just started signs with the new key at once; the others have not looked at the file since.
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

  it('keeps its owner, mode and place when it is rotated, also behind a link', () => {
    ensureKeyFile(file);
    chmodSync(file, 0o640);
    symlinkSync('keys.json', join(dir, 'link.json'));
    const { signs } = rotateKeyFile(join(dir, 'link.json'), 'ES256');
    expect(openKeyFile(file).current()[0]).to.include({ kid: signs, alg: 'ES256' });
    expect(statSync(file).mode & 0o777).to.equal(0o640);
    expect(readdirSync(dir)).to.have.members(['keys.json', 'link.json']);
  });

  it('is not rotated by two at once, nor where it has no keys', () => {
    ensureKeyFile(file);
    const before = readFileSync(file, 'utf8');
    writeFileSync(`${file}.new`, '');
    expect(() => rotateKeyFile(file)).to.throw(OperatorError, /^Another rotation is at work/);
    expect(readFileSync(file, 'utf8')).to.equal(before);
    write('{}');
    expect(() => rotateKeyFile(file)).to.throw(OperatorError, /no JWK set/);
    expect(() => rotateKeyFile(join(dir, 'none'))).to.throw(OperatorError, /no such file/);
  });

  it('loses a key a day after it was replaced, when no token of it can be left', () => {
    const [a, b, c] = [generateKey('EdDSA'), generateKey('EdDSA'), generateKey('EdDSA')];
    const first = rotated([a], b, 1000);
    expect(first).to.deep.equal([b, { retired_at: 1000, ...a }]);
    expect(rotated(first, c, 1000 + 86_400)).to.have.length(3);
    expect(rotated(first, c, 1000 + 86_401).map(({ kid }) => kid)).to.deep.equal([c['kid'], b['kid']]);
    expect(parseKeySet(keySetText(first))).to.have.length(2);
  });

  it('stays what it was where it becomes unreadable, and says so once', () => {
    ensureKeyFile(file);
    const said: string[] = [];
    const keys = openKeyFile(file, (sentence) => said.push(sentence));
    const before = keys.current();
    write('{');
    expect([keys.latest(), keys.latest()]).to.deep.equal([before, before]);
    expect(said).to.deep.equal([`The signing keys in ${file} stay what they were: it is not JSON.`]);
    write(keySetText([generateKey('ES256')]));
    expect(keys.latest()[0].alg).to.equal('ES256');
    rmSync(file);
    expect(keys.latest()[0].alg).to.equal('ES256');
    expect(said).to.have.length(2);
  });
});
