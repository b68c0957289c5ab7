import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { Command, CommanderError } from 'commander';
import { makeAsk } from '../../src/cli/ask.ts';
import { confirm, withConfirmation } from '../../src/cli/confirm.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';
import { silentContext } from './call.ts';

/** Runs a command that asks "Delete ada?", and returns whether it went on, with the questions and the error. */
const run = async (answer: string | null | undefined, args: readonly string[] = []) => {
  const asked: string[] = [];
  const ask = async (question: string): Promise<string | null> => {
    asked.push(question);
    return answer ?? null;
  };
  const context = { ...silentContext, ask: answer === undefined ? null : ask };
  const outcome = { isConfirmed: false, asked, error: undefined as unknown, complaint: '' };
  const command = withConfirmation(context, new Command('delete'))
    .exitOverride()
    .configureOutput({
      writeErr: (text) => {
        outcome.complaint = text;
      },
    })
    .action(async (options: { yes?: true }) => {
      await confirm(context, options, 'Delete ada?');
      outcome.isConfirmed = true;
    });
  try {
    await command.parseAsync(args, { from: 'user' });
  } catch (error) {
    outcome.error = error;
  }
  return outcome;
};

describe('A command that asks for confirmation', () => {
  for (const answer of ['y', 'Y', 'yes', ' YES ']) {
    it(`goes on after the answer "${answer}"`, async () => {
      expect(await run(answer)).to.deep.include({ isConfirmed: true, asked: ['Delete ada? [y/N] '], error: undefined });
    });
  }

  for (const answer of ['', 'n', 'no', 'yess', 'oh yes', null]) {
    it(`changes nothing after the answer ${JSON.stringify(answer)}`, async () => {
      const { error, isConfirmed } = await run(answer);
      expect(isConfirmed).to.equal(false);
      expect(error).to.be.instanceOf(OperatorError).with.property('message', 'Not confirmed; nothing was changed.');
    });
  }

  it('does not ask with --yes', async () => {
    expect(await run('n', ['--yes'])).to.deep.include({ isConfirmed: true, asked: [] });
    expect(await run(undefined, ['--yes'])).to.include({ isConfirmed: true });
  });

  it('is wrong usage without a terminal and without --yes', async () => {
    const { complaint, error, isConfirmed } = await run(undefined);
    expect(isConfirmed).to.equal(false);
    expect(error).to.be.instanceOf(CommanderError).with.property('exitCode', 1);
    expect(complaint).to.equal('error: there is no terminal to ask for confirmation; confirm with --yes\n');
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
