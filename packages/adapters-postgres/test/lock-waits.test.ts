import { DomainError, notFound } from '@chapter/domain';
import { expect } from 'chai';
import { repeatWhileLocked } from '../src/schema/lock-waits.ts';

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Runs work that fails with the given errors, one for each attempt, and then succeeds. */
const run = async (errors: readonly Error[], attempts: number) => {
  const left = [...errors];
  let pauses = 0;
  const waits = {
    attempts,
    pause: async () => {
      pauses++;
    },
  };
  const attempt = async (): Promise<string> => {
    const error = left.shift();
    if (error) throw error;
    return 'done';
  };
  const outcome = await repeatWhileLocked(waits, attempt, '0099-example').catch((error: unknown) => error);
  return { outcome, pauses };
};

describe('repeatWhileLocked', () => {
  it('repeats after a lock timeout and after a deadlock, with a pause before each repetition', async () => {
    expect(await run([failure('55P03'), failure('40P01')], 3)).to.deep.equal({ outcome: 'done', pauses: 2 });
  });

  it('passes other errors on at once', async () => {
    for (const error of [failure('42P07'), notFound()]) {
      expect(await run([error], 3)).to.deep.equal({ outcome: error, pauses: 0 });
    }
  });

  it('fails after the last attempt with an error that names the migration and the cause', async () => {
    const last = failure('55P03');
    const { outcome, pauses } = await run([failure('55P03'), last], 2);
    expect(pauses).to.equal(1);
    if (!(outcome instanceof DomainError)) expect.fail('must be a DomainError');
    expect(outcome.code).to.equal('unavailable');
    const { cause } = outcome;
    expect(String(cause)).to.equal(
      'Error: the migration was refused: another transaction, such as an export, uses a table that 0099-example must ' +
        'lock; it was still open at attempt 2; wait for its end, then migrate again',
    );
    expect(cause).to.have.property('cause', last);
  });
});
