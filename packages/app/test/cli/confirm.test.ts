import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { type Confirmable, confirm, makeAsk } from '../../src/cli/steps/ask.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';

/** Asks "Delete ada?", and returns the questions and the error. */
const run = async (answer: string | null, options: Confirmable = {}) => {
  const asked: string[] = [];
  const ask = async (question: string): Promise<string | null> => {
    asked.push(question);
    return answer;
  };
  const error = await confirm({ ask }, options, 'Delete ada?').catch((thrown: unknown) => thrown);
  return { asked, error };
};

describe('A command that asks for confirmation', () => {
  for (const answer of ['y', 'Y', 'yes', ' YES ']) {
    it(`goes on after the answer "${answer}"`, async () => {
      expect(await run(answer)).to.deep.equal({ asked: ['Delete ada? [y/N] '], error: undefined });
    });
  }

  for (const answer of ['', 'n', 'no', 'yess', 'oh yes', null]) {
    it(`changes nothing after the answer ${JSON.stringify(answer)}`, async () => {
      const { error } = await run(answer);
      expect(error).to.be.instanceOf(OperatorError).with.property('message', 'Not confirmed; nothing was changed.');
    });
  }

  it('does not ask with --yes', async () => {
    expect(await run('n', { yes: true })).to.deep.equal({ asked: [], error: undefined });
    expect(await confirm({ ask: null }, { yes: true }, 'Delete ada?')).to.equal(undefined);
  });
});

describe('A question on the terminal', () => {
  const terminal = () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    output.setEncoding('utf8');
    return { input, output, ask: makeAsk(input, output, ['SIGUSR2']) };
  };

  it('returns the first line that was typed', async () => {
    const { ask, input, output } = terminal();
    const answer = ask('Delete ada? ');
    input.write('yes\nno\n');
    expect(await answer).to.equal('yes');
    expect(output.read()).to.equal('Delete ada? ');
  });

  it('returns null at the end of the input', async () => {
    const { ask, input } = terminal();
    input.end();
    expect(await ask('Delete ada? ')).to.equal(null);
  });

  it('returns null after a signal', async () => {
    const { ask, output } = terminal();
    const answer = ask('Delete ada? ');
    await once(output, 'readable');
    process.emit('SIGUSR2', 'SIGUSR2');
    expect(await answer).to.equal(null);
  });
});
