import { mock } from 'node:test';
import { expect } from 'chai';
import { onSignals } from '../../src/system/signals.ts';

describe('onSignals', () => {
  const handled: NodeJS.Signals[] = [];
  let remove: () => void;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] });
    handled.length = 0;
    remove = onSignals(['SIGUSR2', 'SIGWINCH'], (signal) => handled.push(signal));
  });
  afterEach(() => {
    remove();
    mock.timers.reset();
  });
  const send = (...signals: readonly NodeJS.Signals[]): void => {
    for (const signal of signals) process.emit(signal, signal);
  };

  it('handles copies of a signal once, and another signal immediately', () => {
    send('SIGUSR2', 'SIGUSR2', 'SIGWINCH', 'SIGUSR2', 'SIGWINCH');
    expect(handled).to.deep.equal(['SIGUSR2', 'SIGWINCH']);
  });

  it('ignores copies for 250 ms after the first, however many come', () => {
    send('SIGUSR2');
    mock.timers.tick(150);
    send('SIGUSR2');
    mock.timers.tick(99);
    send('SIGUSR2');
    expect(handled).to.deep.equal(['SIGUSR2']);
  });

  it('handles the same signal again after 250 ms, with or without copies in between', () => {
    send('SIGUSR2');
    mock.timers.tick(200);
    send('SIGUSR2');
    mock.timers.tick(51);
    send('SIGUSR2');
    expect(handled).to.deep.equal(['SIGUSR2', 'SIGUSR2']);
  });

  it('removes its listeners', () => {
    const before = process.listenerCount('SIGUSR2');
    remove();
    expect(process.listenerCount('SIGUSR2')).to.equal(before - 1);
  });
});
