import { createHash } from 'node:crypto';
import { DomainError } from '@chapter/domain';
import { expect } from 'chai';
import * as namespace from 'scrypt-kdf';
import { hashProcessors, poolThreads, scryptParametersOf, workLeft, workOf } from '../../src/passwords/scrypt-hash.ts';
import { makeScryptPasswords } from '../../src/passwords/scrypt-passwords.ts';

// The functions that the hasher calls; the module's types do not describe its default export.
const scrypt = (
  namespace as unknown as { readonly default: { -readonly [Name in keyof typeof namespace]: (typeof namespace)[Name] } }
).default;

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

  it('match with or without NULs at their end, which scrypt cannot tell apart', async () => {
    expect(await passwords.verify('short-one\0\0', await passwords.hash('short-one'))).to.equal(true);
    expect(await passwords.verify('short-one', await passwords.hash('short-one\0\0'))).to.equal(true);
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

  it('cost the same work to verify with a weak, a current, an invalid and no hash, whether they match or not', async () => {
    const weaker = [
      { ...cheap, p: 1 },
      { ...cheap, logN: 3 },
    ];
    const weak = await Promise.all(weaker.map((parameters) => makeScryptPasswords(parameters).hash('correct horse')));
    const { kdf, verify } = scrypt;
    let work = 0;
    scrypt.kdf = (text, parameters) => {
      work += workOf({ ...cheap, ...parameters });
      return kdf(text, parameters);
    };
    scrypt.verify = (hash, text) => {
      work += workOf(scryptParametersOf(Buffer.from(hash).toString('base64')) ?? cheap);
      return verify(hash, text);
    };
    try {
      for (const stored of [...weak, await passwords.hash('correct horse'), 'x', null]) {
        for (const password of ['correct horse', 'correct horsf']) {
          work = 0;
          await passwords.verify(password, stored);
          expect(work, `${stored} ${password}`).to.equal(workOf(cheap));
        }
      }
    } finally {
      Object.assign(scrypt, { kdf, verify });
    }
  });

  describe('wait for their turn', () => {
    const leader = { share: ['callers', 'leader'] } as const;
    const login = { share: ['logins', '192.0.2.0/24', 'ada'] } as const;

    it('so that a login is next, however many hashes a caller waits for', async () => {
      const busy = makeScryptPasswords(cheap, { maxRunning: 1, maxWaiting: 20 });
      const done: string[] = [];
      const creations = Array.from({ length: 10 }, () => busy.hash('a', leader).then(() => done.push('creation')));
      const logins = busy.verify('b', null, login).then(() => done.push('login'));
      await Promise.all([...creations, logins]);
      expect(done.indexOf('login')).to.equal(1);
    });

    it('or are refused at once when too many calls of their share wait', async () => {
      const busy = makeScryptPasswords(cheap, { maxRunning: 1, maxWaiting: 1 });
      busy.requireCapacity(leader.share);
      const both = [busy.hash('a', leader), busy.hash('b', leader)];
      expect(() => busy.requireCapacity(leader.share))
        .to.throw(DomainError)
        .with.property('code', 'rate_limited');
      expect(busy.use()).to.deep.equal({ running: 1, waiting: 1 });
      const all = await Promise.allSettled([...both, busy.hash('c', leader), busy.verify('d', null, leader)]);
      busy.requireCapacity(leader.share);
      expect(all.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    });

    it('without the place of their request among those that are served', async () => {
      const paused: Promise<unknown>[] = [];
      const request = {
        ...login,
        pause: <T>(work: () => Promise<T>): Promise<T> => {
          const result = work();
          paused.push(result);
          return result;
        },
      };
      const hash = await passwords.hash('a', request);
      const matches = await passwords.verify('a', hash, request);
      expect(await Promise.all(paused)).to.deep.equal([hash, matches]);
    });

    it('once for simultaneous calls with the same password and hash that ask for that, and for no others', async () => {
      const busy = makeScryptPasswords(cheap, { maxRunning: 1 });
      const [hash, other] = [await busy.hash('a'), await busy.hash('a')];
      const coalesced = { ...leader, isCoalesced: true };
      const calls = [
        busy.verify('a', hash, { ...coalesced, isAbandoned: () => true }),
        busy.verify('a', hash, coalesced),
        busy.verify('a', hash, coalesced),
      ];
      expect(busy.use()).to.deep.equal({ running: 1, waiting: 0 });
      calls.push(busy.verify('b', hash, coalesced), busy.verify('a', other, coalesced), busy.verify('a', hash, leader));
      expect(busy.use()).to.deep.equal({ running: 1, waiting: 3 });
      expect(await Promise.all(calls)).to.deep.equal([true, true, true, false, true, true]);
      const later = busy.verify('a', hash, coalesced);
      expect(busy.use()).to.deep.equal({ running: 1, waiting: 0 });
      expect(await later).to.equal(true);
    });
  });

  it('leave two threads of the pool free', () => {
    expect(['8', 'x', '0'].map((size) => poolThreads(size))).to.deep.equal([8, 1, 1]);
    expect([1, 2, 3, 4, 16].map((threads) => hashProcessors(threads, 16).max)).to.deep.equal([1, 1, 1, 2, 14]);
    expect([1, 2, 3, 4, 16].map((threads) => hashProcessors(threads, 16).byDefault)).to.deep.equal([1, 1, 1, 2, 2]);
  });

  it('leave one processor free for other requests by default', () => {
    expect([1, 2, 3, 16].map((all) => hashProcessors(4, all).byDefault)).to.deep.equal([1, 1, 2, 2]);
  });
});
