import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { silentProgress } from '../../src/bulk/progress.ts';
import { makeProgressBar } from '../../src/cli/progress-bar.ts';

/** A terminal that keeps what is written to it. */
const makeTerminal = () => {
  const stream = new PassThrough();
  let shown = '';
  stream.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
  });
  const terminal = Object.assign(stream, { isTTY: true, columns: 120, rows: 24 }) as unknown as NodeJS.WriteStream;
  return { terminal, shown: () => shown };
};

describe('The progress bar', () => {
  it('shows each piece of work and how much of it is done', () => {
    const { shown, terminal } = makeTerminal();
    const progress = makeProgressBar(terminal);
    progress.begin('Checking users.csv', 200);
    progress.to(200);
    progress.begin('Storing', 0);
    progress.end();
    progress.end();
    expect(shown()).to.include('Checking users.csv').and.include('100%').and.include('Storing');
  });

  it('shows nothing where there is no terminal', () => {
    expect(makeProgressBar(null)).to.equal(silentProgress);
  });
});
