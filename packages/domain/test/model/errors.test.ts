import { DOMAIN_ERROR_CODES, DomainError, isDomainError, notFound, validationFailed } from '@chapter/domain/ports';
import { expect } from 'chai';

/** A second copy of the module, as if another dependency had loaded it. */
const otherCopy = (await import(
  `${import.meta.resolve('@chapter/domain').replace('index.ts', 'model/errors.ts')}?copy`
)) as typeof import('@chapter/domain/api');

describe('isDomainError', () => {
  it('recognizes errors of this copy of the package and of another', () => {
    expect(isDomainError(notFound())).to.equal(true);
    const other = otherCopy.validationFailed([]);
    expect(other).not.to.be.instanceOf(DomainError);
    expect(isDomainError(other)).to.equal(true);
  });

  it('recognizes every code', () => {
    for (const code of DOMAIN_ERROR_CODES) expect(isDomainError(new DomainError(code, ''))).to.equal(true);
  });

  it('rejects everything else', () => {
    const error = (more: object) => Object.assign(new Error('not found'), { name: 'DomainError', ...more });
    const { code, faults } = validationFailed([]);
    for (const value of [
      null,
      'not_found',
      { name: 'DomainError', code, faults },
      new Error('not_found'),
      Object.assign(new Error('x'), { code, faults }),
      error({ code }),
      error({ faults }),
      error({ code: 'ENOENT', faults }),
      error({ code, faults: 'none' }),
    ]) {
      expect(isDomainError(value), JSON.stringify(value)).to.equal(false);
    }
    expect(isDomainError(error({ code, faults }))).to.equal(true);
  });
});
