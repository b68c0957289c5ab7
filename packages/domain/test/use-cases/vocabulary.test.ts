import { readdirSync } from 'node:fs';
import { makeUseCases, policy, publicActions } from '@chapter/domain';
import { makeWorld } from '@chapter/domain/testing';
import { expect } from 'chai';

const camelCase = (fileName: string) => fileName.replace(/-[a-z]/g, (match) => match.slice(1).toUpperCase());

describe('One vocabulary', () => {
  const decided = [...Object.keys(policy), ...publicActions].toSorted();

  it('names every use case like the policy, so that none is undecided', () => {
    expect(Object.keys(makeUseCases(makeWorld())).toSorted()).to.deep.equal(decided);
  });

  it('names the files of the use cases likewise', () => {
    const files = readdirSync(new URL('../../src/use-cases', import.meta.url)).filter((name) => name.endsWith('.ts'));
    const names = files.filter((name) => name !== 'index.ts').map((name) => camelCase(name.replace(/\.ts$/, '')));
    expect(names.toSorted()).to.deep.equal(decided);
  });
});
