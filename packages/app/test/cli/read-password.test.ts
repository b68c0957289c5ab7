import { expect } from 'chai';
import { readPassword } from '../../src/cli/read-password.ts';

const read = async (ask: (() => Promise<string | null>) | null) => {
  let err = '';
  const password = await readPassword({
    readInput: () => Promise.resolve(Buffer.from('a long enough secret\n')),
    ask,
    writeError: (text) => {
      err += text;
    },
  });
  return { password, err };
};

describe('A password on standard input', () => {
  it('is asked for on a terminal, which would otherwise wait without a word', async () => {
    expect(await read(() => Promise.resolve(null))).to.deep.equal({
      password: 'a long enough secret',
      err: 'Type the password, which is shown, then press Enter and Ctrl-D.\n',
    });
  });

  it('is read without a message from a file or a pipe', async () => {
    expect(await read(null)).to.deep.equal({ password: 'a long enough secret', err: '' });
  });
});
