import { constants } from 'node:os';

/** Signals that ask a process to stop. */
export const STOP_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** A signal that asks a process to stop. */
export type StopSignal = (typeof STOP_SIGNALS)[number];

/** Copies of a signal within this time count once: npm forwards signals that its group received. Contract §9. */
const COPY_WINDOW_MS = 250;

/**
 * Calls `handle` for each signal except its copies. Returns a function that removes the listeners.
 *
 * Uses a timer instead of comparing times, so that copies count once even if a busy machine handles them late.
 */
export const onSignals = <Signal extends NodeJS.Signals>(
  signals: readonly Signal[],
  handle: (signal: Signal) => void,
): (() => void) => {
  const recent = new Set<Signal>();
  const listener = (signal: Signal): void => {
    if (recent.has(signal)) return;
    recent.add(signal);
    // Timers run before pending signals, immediates after them.
    setTimeout(() => setImmediate(() => recent.delete(signal)), COPY_WINDOW_MS).unref();
    handle(signal);
  };
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
};

/** Thrown when a signal interrupts a command. */
export class Interrupted extends Error {
  readonly signal: StopSignal;
  /** Exit status of the process: 128 plus the signal number, as shells report it. */
  readonly status: number;

  /** `outcome` is a part of the message, such as "nothing was imported". */
  constructor(signal: StopSignal, outcome?: string) {
    super(`Interrupted by ${signal}${outcome === undefined ? '' : `; ${outcome}`}.`);
    this.name = 'Interrupted';
    this.signal = signal;
    this.status = 128 + constants.signals[signal];
  }
}
