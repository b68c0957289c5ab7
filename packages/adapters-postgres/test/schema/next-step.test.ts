import { expect } from 'chai';
import { MIGRATIONS } from '../../src/schema/migrations/index.ts';
import { nextStepDown, nextStepUp } from '../../src/schema/migrator.ts';

const [first = '', second = '', third = ''] = MIGRATIONS;
const last = MIGRATIONS.at(-1) ?? '';

describe('The next migration step', () => {
  it('goes up in order, fills gaps and ends at the requested migration', () => {
    expect(nextStepUp([], last)).to.deep.equal({ direction: 'up', name: first });
    expect(nextStepUp([first, third], last)).to.deep.equal({ direction: 'up', name: second });
    expect(nextStepUp([first, second], second)).to.equal(undefined);
    expect(nextStepUp(MIGRATIONS, last)).to.equal(undefined);
  });

  it('goes down from the last applied migration, and not below those of a newer program', () => {
    expect(nextStepDown([first, second, third], first)).to.deep.equal({ direction: 'down', name: third });
    expect(() => nextStepDown(['9999-newer', first], first)).to.throw(/refused: only .* that applied 9999-newer can/);
    expect(nextStepDown([first], first)).to.equal(undefined);
    expect(nextStepDown([first], null)).to.deep.equal({ direction: 'down', name: first });
    expect(nextStepDown([], null)).to.equal(undefined);
  });
});
