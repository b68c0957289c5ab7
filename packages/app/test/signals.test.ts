import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { onSignals } from '../src/signals.ts';

describe('onSignals', () => {
  const told: NodeJS.Signals[] = [];
  let letGo: () => void;
  beforeEach(() => {
    told.length = 0;
    letGo = onSignals(['SIGUSR2', 'SIGWINCH'], (signal) => told.push(signal));
  });
  afterEach(() => letGo());
  const send = (...signals: readonly NodeJS.Signals[]): void => {
    for (const signal of signals) process.emit(signal, signal);
  };

  it('tells once of a signal and its echoes, and at once of another one', () => {
    send('SIGUSR2', 'SIGUSR2', 'SIGWINCH', 'SIGUSR2', 'SIGWINCH');
    expect(told).to.deep.equal(['SIGUSR2', 'SIGWINCH']);
  });

  it('tells of the same signal again after a second, however many came meanwhile', async () => {
    send('SIGUSR2');
    await sleep(600);
    send('SIGUSR2');
    await sleep(410);
    send('SIGUSR2');
    expect(told).to.deep.equal(['SIGUSR2', 'SIGUSR2']);
  });

  it('leaves no listener behind once it was let go', () => {
    const before = process.listenerCount('SIGUSR2');
    letGo();
    expect(process.listenerCount('SIGUSR2')).to.equal(before - 1);
  });
});
