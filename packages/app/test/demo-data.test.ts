import { makeWorld } from '@chapter/domain/testing';
import { expect } from 'chai';
import { DEMO_PASSWORD, putInDemoData } from '../src/demo-data.ts';

const makePorts = () => ({
  ...makeWorld(),
  commonPasswords: { has: () => false },
  hasher: {
    hash: (password: string) => Promise.resolve(`hash of ${password}`),
    verify: () => Promise.resolve(false),
    requireRoom: () => {},
    isWeak: () => false,
  },
});

describe('Demo data', () => {
  it('has an account for every role, each with the demo password', async () => {
    const ports = makePorts();
    const accounts = await putInDemoData(ports);
    expect(accounts.map(({ username }) => username)).to.deep.equal([
      'leader',
      'guest',
      'user',
      'admin',
      'leader.south',
    ]);
    for (const { username } of accounts) {
      const stored = await ports.credentials.findByUsername(username);
      expect(stored?.passwordHash).to.equal(`hash of ${DEMO_PASSWORD}`);
      expect(stored?.user.isSuperuser).to.equal(username === 'admin');
      expect(stored?.user.division.name).to.equal(username === 'leader.south' ? 'South' : 'North');
    }
  });

  it('is put in once', async () => {
    const ports = makePorts();
    await putInDemoData(ports);
    expect(await putInDemoData(ports)).to.deep.equal([]);
  });
});
