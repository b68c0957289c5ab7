import { makeOperatorUseCases, makeUseCases, type PolicyRow, policy, publicActions } from '@chapter/domain/api';
import { makeWorld } from '@chapter/domain/testing';
import { expect } from 'chai';

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
});
