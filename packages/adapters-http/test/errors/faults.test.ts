import { fieldForbidden, validationFailed } from '@chapter/domain/api';
import { expect } from 'chai';
import { shownName, unknownName, wireFault } from '../../src/errors/faults.ts';
import { problemOf } from '../../src/errors/problem.ts';

const fault = (at: number) => ({ field: `f${at}`, code: 'required', detail: 'is required' }) as const;
const numbered = (count: number) => Array.from({ length: count }, (_, at) => fault(at));

describe('The faults of a problem', () => {
  it('are the first 50', () => {
    for (const refuse of [validationFailed, fieldForbidden]) {
      const { errors } = JSON.parse(problemOf(refuse(numbered(51)), { requestId: 'r1' }).body);
      expect(errors).to.deep.equal(numbered(50));
    }
  });

  it('show at most 100 code points of a name from the request', () => {
    const names: [string, string][] = [
      ['x'.repeat(100), 'x'.repeat(100)],
      ['x'.repeat(101), 'x'.repeat(100)],
      ['😀'.repeat(101), '😀'.repeat(100)],
      [`x${'😀'.repeat(64_000)}`, `x${'😀'.repeat(99)}`],
      [`${'x'.repeat(99)}\ud800\ud800`, `${'x'.repeat(99)}\ufffd`],
      ['\udc00', '\ufffd'],
    ];
    for (const [name, shown] of names) {
      expect(shownName(name)).to.equal(shown);
      expect(wireFault(name, 'unknown_field', 'd').wire).to.equal(shown);
      expect(unknownName('field', name, [])).to.equal(`unknown field \`${shown}\``);
    }
  });

  it('suggest a known name only for names of at most 64 characters', () => {
    const known = 'x'.repeat(64);
    expect(unknownName('field', `${known.slice(1)}y`, [known])).to.contain('did you mean');
    expect(unknownName('field', `${known}y`, [known])).to.not.contain('did you mean');
  });
});
