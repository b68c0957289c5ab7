import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { makeAskSecret, makeWritePrompt } from '../../src/cli/ask-secret.ts';
import { Interrupted } from '../../src/cli/interrupted.ts';
import { readPassword } from '../../src/cli/read-password.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';
import { silentContext } from './call.ts';

/** A terminal that records the modes that are set and the output. */
const fakeTerminal = () => {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    setRawMode: (mode: boolean) => {
      modes.push(mode);
    },
  });
  const output = new PassThrough({ encoding: 'utf8' });
  const askSecret = makeAskSecret(input, (text) => output.write(text));
  return { input, modes, output, password: () => readPassword({ ...silentContext, askSecret }) };
};

const errorOf = (outcome: Promise<unknown>): Promise<unknown> =>
  outcome.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('A password on a terminal', () => {
  it('prints a prompt on a terminal, and does not show what is typed', async () => {
    const { input, modes, output, password } = fakeTerminal();
    const read = password();
    await once(output, 'readable');
    expect(modes).to.deep.equal([true]);
    expect(output.read()).to.equal('Password: ');
    for (const key of ' a long secret \r') input.write(key);
    expect(await read).to.equal(' a long secret ');
    expect(output.read()).to.equal('\n');
    expect(modes).to.deep.equal([true, false]);
  });

  it('ends with the first line', async () => {
    const { input, password } = fakeTerminal();
    input.write('a long enough secret\nanother line\n');
    expect(await password()).to.equal('a long enough secret');
  });

  it('can be corrected with the backspace key', async () => {
    const { input, password } = fakeTerminal();
    input.write('a long enough secrets\u007f\r');
    expect(await password()).to.equal('a long enough secret');
  });

  it('is interrupted by Ctrl-C, which restores the terminal', async () => {
    const { input, modes, output, password } = fakeTerminal();
    input.write('a long enough\u0003');
    const error = await errorOf(password());
    expect(error).to.be.instanceOf(Interrupted).with.property('status', 130);
    expect(modes).to.deep.equal([true, false]);
    expect(output.read()).to.equal('Password: \n');
  });

  for (const [title, keys] of [
    ['an empty line', '\r'],
    ['Ctrl-D', '\u0004'],
  ] as const) {
    it(`is missing after ${title}`, async () => {
      const { input, modes, password } = fakeTerminal();
      input.write(keys);
      const error = await errorOf(password());
      expect(error).to.be.instanceOf(OperatorError).with.property('message', 'There is no password on standard input.');
      expect(modes).to.deep.equal([true, false]);
    });
  }

  it('must be valid UTF-8', async () => {
    const { input, password } = fakeTerminal();
    input.write(Buffer.from('a long enough s\xe9cret\r', 'latin1'));
    expect(await errorOf(password()))
      .to.be.instanceOf(OperatorError)
      .with.property('message', 'The password on standard input is not valid UTF-8.');
  });
});

describe('The prompt for a password', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chapter-prompt-'));
  const device = join(folder, 'tty');
  beforeEach(() => writeFileSync(device, ''));
  after(() => rmSync(folder, { recursive: true }));

  const prompt = (isTTY: boolean, path = device) => {
    const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY });
    makeWritePrompt(stderr, path)('Password: ');
    return { device: readFileSync(device, 'utf8'), stderr: stderr.read() as string | null };
  };

  it('is written to standard error if that is a terminal', () => {
    expect(prompt(true)).to.deep.equal({ device: '', stderr: 'Password: ' });
  });

  it('is written to the controlling terminal if standard error is redirected', () => {
    expect(prompt(false)).to.deep.equal({ device: 'Password: ', stderr: null });
  });

  it('is written to standard error without a controlling terminal', () => {
    const absent = join(folder, 'absent');
    expect(prompt(false, absent)).to.deep.equal({ device: '', stderr: 'Password: ' });
    expect(existsSync(absent)).to.equal(false);
  });
});

describe('A password from a file or a pipe', () => {
  it('is read without a prompt', async () => {
    const readInput = () => Promise.resolve(Buffer.from('a long enough secret\n'));
    expect(await readPassword({ ...silentContext, readInput })).to.equal('a long enough secret');
  });
});
