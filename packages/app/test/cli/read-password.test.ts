import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { makeAskSecret, makeWritePrompt, readPassword } from '../../src/cli/steps/ask.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';
import { Interrupted } from '../../src/system/signals.ts';
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

const SECRET = 'a long enough secret';

describe('A password on a terminal', () => {
  it('is asked for twice, and is not shown while it is typed', async () => {
    const { input, modes, output, password } = fakeTerminal();
    const read = password();
    await once(output, 'readable');
    expect(modes).to.deep.equal([true]);
    expect(output.read()).to.equal('Password: ');
    for (const key of ' a long secret \r') input.write(key);
    await once(output, 'readable');
    expect(output.read()).to.equal('\nRepeat the password: ');
    for (const key of ' a long secret \r') input.write(key);
    expect(await read).to.equal(' a long secret ');
    expect(output.read()).to.equal('\n');
    expect(modes).to.deep.equal([true, false, true, false]);
  });

  /** Types each text as one chunk of bytes. */
  const type = async (...chunks: readonly (string | Uint8Array)[]) => {
    const { input, modes, output, password } = fakeTerminal();
    for (const chunk of chunks) input.write(chunk);
    input.end();
    const outcome = await password().catch((error: unknown) => error);
    expect(modes.at(-1)).to.equal(false);
    return { outcome, written: output.read() as string };
  };

  it('is refused if the second one differs', async () => {
    const { outcome, written } = await type(`${SECRET}\r`, `${SECRET}s\r`);
    expect(outcome).to.be.instanceOf(OperatorError).with.property('message', 'The two passwords differ.');
    expect(written).to.equal('Password: \nRepeat the password: \n');
  });

  it('is interrupted by Ctrl-C, which restores the terminal', async () => {
    const { outcome, written } = await type('a long enough\u0003');
    expect(outcome).to.be.instanceOf(Interrupted).with.property('status', 130);
    expect(written).to.equal('Password: \n');
  });

  const ANY_CHARACTERS = '\ufeffa long\u2028secret \ufffd\u{1f511}';
  const BYTES = [...Buffer.from(`${ANY_CHARACTERS}\r`)].map((byte) => Buffer.of(byte));
  const MISSING = 'There is no password on standard input.';
  const HAS_CONTROLS = 'A password cannot contain control characters such as Tab, Escape and the arrow keys.';
  /** What is typed, and the password or the message of its refusal. */
  const typed: readonly [title: string, outcome: string, ...chunks: (string | Uint8Array)[]][] = [
    ['ends with the Enter key of a terminal', SECRET, `${SECRET}\r`, `${SECRET}\r`],
    ['ends with a line feed', SECRET, `${SECRET}\n`, `${SECRET}\n`],
    ['ends with a carriage return and a line feed', SECRET, `${SECRET}\r\n`, `${SECRET}\r\n`],
    ['can be corrected with Backspace', SECRET, `${SECRET}s\u007f\r`, `${SECRET}\r`],
    ['can be corrected with Backspace of other terminals', SECRET, `${SECRET}s\b\r`, `${SECRET}\r`],
    ['can be corrected after a character of several bytes', SECRET, `${SECRET}\u{1f511}\u007f\r`, `${SECRET}\r`],
    ['ignores Backspace on an empty line', SECRET, `\u007f${SECRET}\r`, `${SECRET}\r`],
    ['can be typed again after Ctrl-U, which erases the line', SECRET, `wrong\u0015${SECRET}\r`, `${SECRET}\r`],
    ['may contain any character that is not a control character', ANY_CHARACTERS, ...BYTES, ...BYTES],
    ['is refused with an arrow key', HAS_CONTROLS, `${SECRET}\u001b[D\r`],
    ['is refused with an Alt key', HAS_CONTROLS, `${SECRET}\u001bb\r`],
    ['is refused with Tab', HAS_CONTROLS, `${SECRET}\t\r`],
    ['is refused with Ctrl-W', HAS_CONTROLS, `${SECRET}\u0017\r`],
    ['is refused with Ctrl-D after other keys', HAS_CONTROLS, `${SECRET}\u0004\r`],
    ['is refused with a C1 control character', HAS_CONTROLS, `${SECRET}\u009b\r`],
    [
      'must be a single line',
      'The password must be a single line; more text follows its end.',
      `${SECRET}\nanother line\n`,
    ],
    ['is missing after an empty line', MISSING, '\r'],
    ['is missing after Ctrl-D', MISSING, '\u0004'],
    ['is missing after the end of the input', MISSING],
    ['must be valid UTF-8', 'The password on standard input is not valid UTF-8.', Buffer.from('s\xe9cret\r', 'latin1')],
  ];
  for (const [title, expected, ...chunks] of typed) {
    it(title, async () => {
      const { outcome } = await type(...chunks);
      expect(outcome instanceof OperatorError ? outcome.message : outcome).to.equal(expected);
    });
  }

  it('fails with the error of the terminal', async () => {
    const { input, modes, password } = fakeTerminal();
    const read = password().catch((error: unknown) => error);
    input.destroy(new Error('read EIO'));
    expect(await read).to.have.property('message', 'read EIO');
    expect(modes).to.deep.equal([true, false]);
  });
});

describe('The prompt for a password', () => {
  const folder = makeFolder();
  const device = join(folder, 'tty');
  beforeEach(() => writeFileSync(device, ''));

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
