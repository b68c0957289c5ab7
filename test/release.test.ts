import { expect } from 'chai';
import { hasCommit, installRelease } from '../test-support/release.ts';

describe('The installation of a release', () => {
  const unknown = '0'.repeat(40);

  it('fails with the output of git if the clone does not have the commit', () => {
    expect(hasCommit(unknown)).to.equal(false);
    expect(() => installRelease(unknown)).to.throw(/^git failed for commit 0{40}: fatal: /);
  });
});
