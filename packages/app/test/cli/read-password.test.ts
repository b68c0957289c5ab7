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

  for (const [title, chunk] of [
    ['the Enter key of a terminal', `${SECRET}\r`],
    ['a line feed', `${SECRET}\n`],
    ['a carriage return and a line feed', `${SECRET}\r\n`],
  ] as const) {
    it(`ends with ${title}`, async () => {
      expect((await type(chunk, chunk)).outcome).to.equal(SECRET);
    });
  }

  for (const [title, typed] of [
    ['Backspace', `${SECRET}s\u007f\r`],
    ['Backspace of other terminals', `${SECRET}s\b\r`],
    ['Backspace after a character of several bytes', `${SECRET}\u{1f511}\u007f\r`],
    ['Backspace, also on an empty line', `\u007f${SECRET}\r`],
    ['Ctrl-U, which erases the line', `wrong\u0015${SECRET}\r`],
  ] as const) {
    it(`can be corrected with ${title}`, async () => {
      expect((await type(typed, `${SECRET}\r`)).outcome).to.equal(SECRET);
    });
  }

  it('may contain any character that is not a control character', async () => {
    const secret = '\ufeffa long\u2028secret \ufffd\u{1f511}';
    const bytes = [...Buffer.from(`${secret}\r`)].map((byte) => Buffer.of(byte));
    expect((await type(...bytes, ...bytes)).outcome).to.equal(secret);
  });

  for (const [title, key] of [
    ['an arrow key', '\u001b[D'],
    ['an Alt key', '\u001bb'],
    ['Tab', '\t'],
    ['Ctrl-W', '\u0017'],
    ['Ctrl-D after other keys', '\u0004'],
    ['a C1 control character', '\u009b'],
  ] as const) {
    it(`is refused with ${title}`, async () => {
      expect((await type(`${SECRET}${key}\r`)).outcome)
        .to.be.instanceOf(OperatorError)
        .with.property(
          'message',
          'A password cannot contain control characters such as Tab, Escape and the arrow keys.',
        );
    });
  }

  it('is refused if several lines are pasted', async () => {
    expect((await type('a long enough secret\nanother line\n')).outcome)
      .to.be.instanceOf(OperatorError)
      .with.property('message', 'The password must be a single line; more text follows its end.');
  });

  it('is interrupted by Ctrl-C, which restores the terminal', async () => {
    const { outcome, written } = await type('a long enough\u0003');
    expect(outcome).to.be.instanceOf(Interrupted).with.property('status', 130);
    expect(written).to.equal('Password: \n');
  });

  for (const [title, keys] of [
    ['an empty line', ['\r']],
    ['Ctrl-D', ['\u0004']],
    ['the end of the input', []],
  ] as const) {
    it(`is missing after ${title}`, async () => {
      const { outcome, written } = await type(...keys);
      expect(outcome)
        .to.be.instanceOf(OperatorError)
        .with.property('message', 'There is no password on standard input.');
      expect(written).to.equal('Password: \n');
    });
  }

  it('must be valid UTF-8', async () => {
    expect((await type(Buffer.from('a long enough s\xe9cret\r', 'latin1'))).outcome)
      .to.be.instanceOf(OperatorError)
      .with.property('message', 'The password on standard input is not valid UTF-8.');
  });

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
