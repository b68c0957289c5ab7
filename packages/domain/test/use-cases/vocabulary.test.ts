import { readdirSync } from 'node:fs';
import { makeOperatorUseCases, makeUseCases, type PolicyRow, policy, publicActions } from '@chapter/domain/api';
import { makeWorld } from '@chapter/domain/testing';
import { expect } from 'chai';

const camelCase = (fileName: string) => fileName.replace(/-[a-z]/g, (match) => match.slice(1).toUpperCase());

describe('One vocabulary', () => {
  const decided = [...Object.keys(policy), ...publicActions].toSorted();

  it('names every use case like the policy, so that none is undecided', () => {
    expect(Object.keys(makeUseCases(makeWorld())).toSorted()).to.deep.equal(decided);
  });

  it('makes exactly the use cases whose row allows the operator for the command line', () => {
    const rows = Object.entries<PolicyRow<never>>(policy).filter(([, row]) => row.allowsOperator);
    expect(Object.keys(makeOperatorUseCases(makeWorld())).toSorted()).to.deep.equal(
      rows.map(([name]) => name).toSorted(),
    );
  });

  it('names the files of the use cases likewise', () => {
    const files = readdirSync(new URL('../../src/use-cases', import.meta.url)).filter((name) => name.endsWith('.ts'));
    const names = files.filter((name) => name !== 'index.ts').map((name) => camelCase(name.replace(/\.ts$/, '')));
    expect(names.toSorted()).to.deep.equal(decided);
  });
});
