import { DomainError } from '@chapter/domain';
import { makeSettableClock, type SettableClock } from '@chapter/domain/testing';
import { expect } from 'chai';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { makeAccessTokens } from '../../src/tokens/jose-access-tokens.ts';
import type { SigningKeys } from '../../src/tokens/key-set.ts';
import { claims, encode, forge, forgeHmac, newKey, payloadAt, settings, subject, withOtherSignature } from './forge.ts';

const key = newKey();
const older = newKey('ES256');
const foreign = newKey();

const fixed = (keys: SigningKeys) => ({ current: () => keys, latest: () => keys });

describe('An access token', () => {
  let clock: SettableClock;
  let tokens: ReturnType<typeof makeAccessTokens>;
  const seconds = (): number => Math.floor(Date.parse(clock.now()) / 1000);

  const expectRefused = async (token: string): Promise<void> => {
    const error: unknown = await tokens.verify(token).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(DomainError).and.have.property('code', 'invalid_token');
  };

  beforeEach(() => {
    clock = makeSettableClock();
    tokens = makeAccessTokens(fixed([key, older]), settings, clock);
  });

  it('contains the user and the claims that other services need', async () => {
    const { expiresIn, token } = await tokens.issue(claims, '9999-12-31T23:59:59.999Z');
    expect(expiresIn).to.equal(900);
    expect(decodeProtectedHeader(token)).to.deep.equal({ alg: 'EdDSA', kid: key.kid, typ: 'at+jwt' });
    const { jti, ...decoded } = decodeJwt(token);
    expect(jti).to.match(/^[0-9a-f-]{36}$/);
    expect(decoded).to.deep.equal({ ...claims, iss: 'chapter', aud: 'members', iat: seconds(), exp: seconds() + 900 });
  });

  it('can be verified by other services with the public keys, which contain no private parts', async () => {
    const published = tokens.keys();
    expect(published.keys.map(({ alg, kid, use }) => [alg, kid, use])).to.deep.equal([
      ['EdDSA', key.kid, 'sig'],
      ['ES256', older.kid, 'sig'],
    ]);
    expect(published.keys.every((jwk) => !('d' in jwk))).to.equal(true);
    expect(tokens.keys()).to.equal(published);
    const { token } = await tokens.issue(claims, '9999-12-31T23:59:59.999Z');
    const currentDate = new Date(clock.now());
    await jwtVerify(token, createLocalJWKSet(published as unknown as JSONWebKeySet), { currentDate });
  });

  it('is valid from its issue to its expiry, with a tolerance of five seconds', async () => {
    const { token } = await tokens.issue(claims, '9999-12-31T23:59:59.999Z');
    expect(await tokens.verify(token)).to.deep.equal(subject);
    clock.advance(904);
    expect(await tokens.verify(token)).to.deep.equal(subject);
    clock.advance(1);
    await expectRefused(token);
    clock.set('2026-01-15T11:59:55.000Z');
    expect(await makeAccessTokens(fixed([key]), settings, clock).verify(token)).to.deep.equal(subject);
    clock.advance(-1);
    await expectRefused(forge(key, payloadAt(seconds() + 6)));
  });

  it('is invalid once its key is removed, even if it was verified before', async () => {
    let keys: SigningKeys = [key, older];
    const changing = makeAccessTokens({ current: () => keys, latest: () => keys }, settings, clock);
    const { token } = await changing.issue(claims, '9999-12-31T23:59:59.999Z');
    await changing.verify(token);
    keys = [older];
    expect(await changing.verify(token).catch(({ code }: DomainError) => code)).to.equal('invalid_token');
  });

  it('is invalid once its key is removed, even if that happens during a verification', async () => {
    let keys: SigningKeys = [key, older];
    const changing = makeAccessTokens({ current: () => keys, latest: () => keys }, settings, clock);
    const token = forge(key, payloadAt(seconds()));
    const underWay = changing.verify(token);
    // The verification now has its key but is not finished.
    await Promise.resolve();
    keys = [older];
    await changing.verify(forge(older, payloadAt(seconds())));
    await underWay;
    expect(await changing.verify(token).catch(({ code }: DomainError) => code)).to.equal('invalid_token');
  });

  const wrong: [string, (now: number) => string][] = [
    ['is empty', () => ''],
    ['is not a token', () => 'abc'],
    ['is too long', (now) => forge(key, { ...payloadAt(now), more: 'x'.repeat(4000) })],
    ['has two parts', (now) => forge(key, payloadAt(now)).split('.').slice(0, 2).join('.')],
    ['has an empty signature', (now) => `${forge(key, payloadAt(now)).split('.').slice(0, 2).join('.')}.`],
    ['has five parts like an encrypted token', (now) => `${forge(key, payloadAt(now))}.a.b`],
    ['is unsigned', (now) => `${encode({ alg: 'none', kid: key.kid, typ: 'at+jwt' })}.${encode(payloadAt(now))}.`],
    ['has alg none and a signature', (now) => forge(key, payloadAt(now), { alg: 'none' })],
    ['is signed by HMAC with the public key', (now) => forgeHmac(key, payloadAt(now))],
    ['is signed by a foreign key under a known kid', (now) => forge(foreign, payloadAt(now), { kid: key.kid })],
    ['is signed by an unknown key', (now) => forge(foreign, payloadAt(now))],
    ['has the kid of another known key', (now) => forge(key, payloadAt(now), { kid: older.kid })],
    ['has no kid', (now) => forge(key, payloadAt(now), { kid: undefined })],
    ['contains its own key', (now) => forge(foreign, payloadAt(now), { kid: key.kid, jwk: foreign.publicJwk })],
    ['is valid but names a key to fetch', (now) => forge(key, payloadAt(now), { jku: 'https://evil.example/' })],
    ['has a critical extension', (now) => forge(key, payloadAt(now), { crit: ['x'], x: 1 })],
    ['has an extension without effect', (now) => forge(key, payloadAt(now), { crit: ['b64'], b64: true })],
    ['is of another type', (now) => forge(key, payloadAt(now), { typ: 'JWT' })],
    ['has no type', (now) => forge(key, payloadAt(now), { typ: undefined })],
    ['is of another issuer', (now) => forge(key, { ...payloadAt(now), iss: 'other' })],
    ['has no issuer', (now) => forge(key, { ...payloadAt(now), iss: undefined })],
    ['has another audience', (now) => forge(key, { ...payloadAt(now), aud: 'other' })],
    ['has another audience in addition', (now) => forge(key, { ...payloadAt(now), aud: [settings.audience, 'other'] })],
    ['has no issue time', (now) => forge(key, { ...payloadAt(now), iat: undefined })],
    ['has no expiry', (now) => forge(key, { ...payloadAt(now), exp: undefined })],
    ['never expires', (now) => forge(key, { ...payloadAt(now), exp: 1e308 })],
    ['has too long a lifetime', (now) => forge(key, { ...payloadAt(now), exp: now + 86_401 })],
    ['expires at a fraction of a second', (now) => forge(key, { ...payloadAt(now), exp: now + 0.5 })],
    ['has a string as expiry', (now) => forge(key, { ...payloadAt(now), exp: String(now + 900) })],
    ['has expired', (now) => forge(key, { ...payloadAt(now), iat: now - 500, exp: now - 5 })],
    ['expires before it is issued', (now) => forge(key, { ...payloadAt(now), exp: now - 1 })],
    ['is older than the lifetime of tokens', (now) => forge(key, { ...payloadAt(now), iat: now - 906 })],
    ['is issued in the future', (now) => forge(key, { ...payloadAt(now), iat: now + 6 })],
    ['is not valid yet', (now) => forge(key, { ...payloadAt(now), nbf: now + 6 })],
    ['has an object as subject', (now) => forge(key, { ...payloadAt(now), sub: { id: subject.sub } })],
    ['has a list as subject', (now) => forge(key, { ...payloadAt(now), sub: [subject.sub] })],
    ['has no subject', (now) => forge(key, { ...payloadAt(now), sub: undefined })],
    ['has a subject that is not an id', (now) => forge(key, { ...payloadAt(now), sub: 'admin' })],
    ['has a subject in upper case', (now) => forge(key, { ...payloadAt(now), sub: subject.sub.toUpperCase() })],
    ['has no session', (now) => forge(key, { ...payloadAt(now), sid: undefined })],
    ['has a session that is not an id', (now) => forge(key, { ...payloadAt(now), sid: 1 })],
    ['has no jti', (now) => forge(key, { ...payloadAt(now), jti: undefined })],
    ['has a list as payload', () => forge(key, [])],
    ['has a payload that is not JSON', () => forge(key, '{')],
  ];
  for (const [title, make] of wrong) {
    it(`is rejected if it ${title}`, () => expectRefused(make(seconds())));
  }

  it('is rejected in all spellings except one', async () => {
    const { token } = await tokens.issue(claims, '9999-12-31T23:59:59.999Z');
    const last = token.at(-1) ?? '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // 64 bytes leave four bits of the last character unused.
    const nextLetter = alphabet[alphabet.indexOf(last) + 1] ?? '';
    const spellings = [
      `${token.slice(0, -1)}${nextLetter}`,
      `${token}=`,
      `${token}==`,
      ` ${token}`,
      `${token}\n`,
      token.replace('.', '.\t'),
    ];
    await tokens.verify(token);
    for (const spelling of spellings) await expectRefused(spelling);
  });

  it('is valid with the second ES256 signature (r, n − s), with the same rights and expiry', async () => {
    for (let time = 0; time < 4; time++) {
      const token = forge(older, payloadAt(seconds()));
      const otherToken = withOtherSignature(token);
      expect(otherToken).not.to.equal(token);
      expect(withOtherSignature(otherToken)).to.equal(token);
      expect(await tokens.verify(otherToken)).to.deep.equal(await tokens.verify(token));
      clock.advance(905);
      await expectRefused(token);
      await expectRefused(otherToken);
    }
    await expectRefused(withOtherSignature(forge(older, { ...payloadAt(seconds()), iss: 'another' })));
    await expectRefused(withOtherSignature(forge(newKey('ES256'), payloadAt(seconds()), { kid: older.kid })));
  });

  it('is rejected with any one character changed', async () => {
    const { token } = await tokens.issue(claims, '9999-12-31T23:59:59.999Z');
    for (let at = 0; at < token.length; at += 7) {
      await expectRefused(`${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`);
    }
  });
});
