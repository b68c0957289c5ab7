import { createHash } from 'node:crypto';
import { DomainError } from '@chapter/domain';
import { expect } from 'chai';
import { workLeft } from '../../src/passwords/scrypt-hash.ts';
import { hashConcurrency, makeScryptPasswords } from '../../src/passwords/scrypt-passwords.ts';

const cheap = { logN: 4, r: 8, p: 2 };

/** Makes a hash with the given parameters and a valid checksum. */
const forged = ({ logN, r, p }: typeof cheap, magic = 'scrypt\0'): string => {
  const bytes = Buffer.alloc(96);
  bytes.write(magic, 'latin1');
  bytes.writeUInt8(logN, 7);
  bytes.writeUInt32BE(r, 8);
  bytes.writeUInt32BE(p, 12);
  createHash('sha256').update(bytes.subarray(0, 48)).digest().copy(bytes, 48, 0, 16);
  return bytes.toString('base64');
};

describe('Passwords', () => {
  const passwords = makeScryptPasswords(cheap);

  it('match their own hash only', async () => {
    const hash = await passwords.hash('correct horse');
    expect(hash).to.match(/^[A-Za-z0-9+/]{128}$/);
    expect(await passwords.verify('correct horse', hash)).to.equal(true);
    expect(await passwords.verify('correct horsf', hash)).to.equal(false);
    expect(await passwords.hash('correct horse')).not.to.equal(hash);
  });

  it('do not match for an unknown user', async () => {
    expect(await passwords.verify('anything', null)).to.equal(false);
  });

  it('are verified with a weak hash as with any other', async () => {
    const weak = await makeScryptPasswords({ ...cheap, logN: 3, p: 1 }).hash('correct horse');
    expect(await passwords.verify('correct horse', weak)).to.equal(true);
    expect(await passwords.verify('correct horsf', weak)).to.equal(false);
  });

  it('do not match a hash that is invalid or too expensive to verify', async () => {
    const hash = await passwords.hash('correct horse');
    const broken = `${hash.slice(0, 60)}${hash[60] === 'A' ? 'B' : 'A'}${hash.slice(61)}`;
    const absurd = [
      { logN: 30, r: 8, p: 1 },
      { logN: 255, r: 8, p: 1 },
      { logN: 1, r: 2 ** 30, p: 1 },
    ];
    const slow = { logN: 14, r: 8, p: 2 ** 31 };
    const senseless = [
      { logN: 0, r: 8, p: 1 },
      { logN: 4, r: 0, p: 1 },
      { logN: 4, r: 8, p: 0 },
    ];
    const other = [
      '',
      'x',
      broken,
      forged(cheap, 'bcrypt\0'),
      ...[...absurd, slow, ...senseless].map((p) => forged(p)),
    ];
    for (const stored of other) {
      expect(await passwords.verify('correct horse', stored)).to.equal(false);
      expect(passwords.isWeak(stored)).to.equal(true);
    }
  });

  it('are weak if their hash took less memory or work than a new one', async () => {
    const hashed = (parameters: typeof cheap) => makeScryptPasswords(parameters).hash('x');
    expect(passwords.isWeak(await hashed(cheap))).to.equal(false);
    expect(passwords.isWeak(await hashed({ ...cheap, logN: 5 }))).to.equal(false);
    expect(passwords.isWeak(await hashed({ ...cheap, p: 3 }))).to.equal(false);
    expect(passwords.isWeak(await hashed({ ...cheap, p: 1 }))).to.equal(true);
    expect(passwords.isWeak(await hashed({ ...cheap, logN: 3, p: 9 }))).to.equal(true);
  });

  it('take the same time with a weak hash as with a current one, so that durations reveal nothing', () => {
    const now = { logN: 14, r: 8, p: 5 };
    for (const [weak, more] of [
      [{ logN: 14, r: 8, p: 1 }, 4],
      [{ logN: 13, r: 8, p: 2 }, 4],
      [{ logN: 15, r: 8, p: 1 }, 3],
      [{ logN: 4, r: 8, p: 1 }, 5],
      [now, 0],
      [{ logN: 15, r: 8, p: 5 }, 0],
    ] as const) {
      expect(workLeft(weak, now), JSON.stringify(weak)).to.equal(more);
    }
  });

  it('are refused at once when too many calls wait', async () => {
    const busy = makeScryptPasswords(cheap, { maxRunning: 1, maxWaiting: 1 });
    busy.requireCapacity();
    const both = [busy.hash('a'), busy.verify('b', null)];
    expect(() => busy.requireCapacity())
      .to.throw(DomainError)
      .with.property('code', 'unavailable');
    const all = await Promise.allSettled([...both, busy.hash('c'), busy.verify('d', null)]);
    busy.requireCapacity();
    expect(all.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    const [refused] = all.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(refused).to.be.instanceOf(DomainError).and.have.property('code', 'unavailable');
  });

  it('leave two threads of the pool free', () => {
    expect([1, 2, 3, 4, 16].map((threads) => hashConcurrency(threads, 16))).to.deep.equal([1, 1, 1, 2, 2]);
  });

  it('leave one processor free for other requests', () => {
    expect([1, 2, 3, 16].map((processors) => hashConcurrency(4, processors))).to.deep.equal([1, 1, 2, 2]);
  });
});
