import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect } from 'chai';
import { skip } from '../../../../test-support/skip.ts';
import { makeScryptPasswords, POOL_NICE } from '../../src/passwords/scrypt-passwords.ts';

describe('The threads that hash', () => {
  it('have a slightly lower priority than the main thread', async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux has priorities of threads');
    await makeScryptPasswords({ logN: 4, r: 8, p: 1 }).hash('x');
    const priorities = readdirSync('/proc/self/task')
      .filter((task) => readFileSync(`/proc/self/task/${task}/comm`, 'utf8').trim() === 'libuv-worker')
      .map((task) => getPriority(Number(task)));
    expect(priorities).to.have.length.greaterThan(1);
    // With a much lower priority, a login would take many seconds while other programs use all processors.
    expect(POOL_NICE).to.be.within(1, 5);
    expect(new Set(priorities)).to.deep.equal(new Set([Math.min(19, getPriority() + POOL_NICE)]));
  });
});
