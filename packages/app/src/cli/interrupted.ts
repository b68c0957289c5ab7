import { constants } from 'node:os';

/** Signals that interrupt a command. */
export const INTERRUPTING_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** A signal that interrupts a command. */
export type InterruptingSignal = (typeof INTERRUPTING_SIGNALS)[number];

/** Thrown when a signal interrupts a command. */
export class Interrupted extends Error {
  readonly signal: InterruptingSignal;
  /** Exit status of the process: 128 plus the signal number, as shells report it. */
  readonly status: number;

  /** `outcome` is a part of the message, such as "nothing was imported". */
  constructor(signal: InterruptingSignal, outcome?: string) {
    super(`Interrupted by ${signal}${outcome === undefined ? '' : `; ${outcome}`}.`);
    this.name = 'Interrupted';
    this.signal = signal;
    this.status = 128 + constants.signals[signal];
  }
}
