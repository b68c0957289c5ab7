import { policy } from '@chapter/domain';
import { expect } from 'chai';
import { cedarActions } from '../../../../test-support/proof/model.ts';
import { type TargetKind, targetKindOf } from '../../src/policy/policy.ts';

describe('The kind of the targets of an action', () => {
  it('is that of the contract model', () => {
    const kinds: Readonly<Record<string, TargetKind>> = {
      Chapter: 'service',
      Division: 'division',
      User: 'user',
      Session: 'user',
    };
    for (const action of Object.keys(policy)) {
      expect(targetKindOf(action), action).to.equal(kinds[cedarActions[action] ?? '']);
    }
  });

  it('is undefined for a name without a row', () => {
    for (const name of ['promote', 'toString', '']) expect(targetKindOf(name)).to.equal(undefined);
  });
});
