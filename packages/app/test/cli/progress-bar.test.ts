import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { silentProgress } from '../../src/bulk/report.ts';
import { makeProgressBar } from '../../src/cli/steps/progress-bar.ts';

/** A terminal that records its output. */
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
  it('shows each phase and its progress', async () => {
    const { shown, terminal } = makeTerminal();
    const progress = await makeProgressBar(terminal);
    progress.begin('Checking users.csv', 200);
    progress.to(200);
    progress.begin('Storing', 0);
    progress.end();
    progress.end();
    expect(shown()).to.include('Checking users.csv').and.include('100%').and.include('Storing');
  });

  it('shows an estimate only after the first step and before the end', async () => {
    const { shown, terminal } = makeTerminal();
    const progress = await makeProgressBar(terminal);
    const shownBy = (act: () => void): string => {
      const before = shown().length;
      act();
      return shown().slice(before);
    };
    const start = shownBy(() => progress.begin('Storing', 100));
    expect(start).to.include('0%').and.not.include('left');
    // The bar is also drawn with its last progress if the work ends early.
    const middle = shownBy(() => {
      const until = Date.now() + 20;
      while (Date.now() < until);
      progress.to(1);
      progress.end();
    });
    expect(middle).to.match(/1% \| \d+ s left/);
    progress.begin('Storing', 100);
    const end = shownBy(() => {
      progress.to(100);
      progress.end();
    });
    expect(end).to.include('100%').and.not.include('left');
  });

  it('shows nothing without a terminal', async () => {
    expect(await makeProgressBar(null)).to.equal(silentProgress);
  });
});
