import {
  accessTokensContract,
  accessTokensInTimeContract,
  clockContract,
  commonPasswordsContract,
  idGeneratorContract,
  makeRandomIds,
  makeSequentialIds,
  makeSettableClock,
  makeWorld,
  passwordHasherContract,
  refreshTokensContract,
} from '@chapter/domain/testing';
import { expect } from 'chai';

describe('The fake password hasher', () => {
  for (const { title, run } of passwordHasherContract) it(title, () => run(makeWorld().hasher));
});

describe('The fake access tokens', () => {
  for (const { title, run } of accessTokensContract) it(title, () => run(makeWorld().accessTokens));
  for (const { title, run } of accessTokensInTimeContract) it(title, () => run(makeWorld()));
});

describe('The fake refresh tokens', () => {
  for (const { title, run } of refreshTokensContract) it(title, () => run(makeWorld().refreshTokens));
});

describe('The generators of ids for tests', () => {
  for (const { title, run } of idGeneratorContract) {
    it(`in sequence: ${title}`, () => run(makeSequentialIds()));
    it(`at random: ${title}`, () => run(makeRandomIds(makeSettableClock())));
  }

  it('keep ids in order when the clock is set back, and differ from other generators', () => {
    const clock = makeSettableClock();
    const ids = makeRandomIds(clock);
    const first = ids.next();
    clock.advance(-60);
    const second = ids.next();
    clock.advance(3600);
    expect([second > first, ids.next() > second]).to.deep.equal([true, true]);
    expect(makeRandomIds(clock).next()).not.to.equal(makeRandomIds(clock).next());
    expect(makeSequentialIds('019c00000000').next()).to.equal('019c0000-0000-7000-8000-000000000001');
  });
});

describe('The clock for tests', () => {
  for (const { title, run } of clockContract) it(title, () => run(makeSettableClock()));

  it('stands still until it is set or advanced, by milliseconds too', () => {
    const clock = makeSettableClock('2026-12-31T23:59:59.999Z');
    expect(clock.now()).to.equal(clock.now());
    clock.advance(1.001);
    expect(clock.now()).to.equal('2027-01-01T00:00:01.000Z');
    clock.set('2020-02-29T00:00:00.000Z');
    expect(clock.now()).to.equal('2020-02-29T00:00:00.000Z');
  });
});

describe('The other fakes', () => {
  for (const { title, run } of commonPasswordsContract) it(`they ${title}`, () => run(makeWorld().commonPasswords));
});
