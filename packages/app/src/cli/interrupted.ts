import { constants } from 'node:os';

/** By what people and machines break a command off. */
export const INTERRUPTING_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** One of {@link INTERRUPTING_SIGNALS}. */
export type InterruptingSignal = (typeof INTERRUPTING_SIGNALS)[number];

/** A command that was broken off before it was done. */
export class Interrupted extends Error {
  readonly signal: InterruptingSignal;
  /** What the process ends with, by the convention of shells. */
  readonly status: number;

  /** `outcome` is what came of it, as a part of a sentence. */
  constructor(signal: InterruptingSignal, outcome?: string) {
    super(`Broken off by ${signal}${outcome === undefined ? '' : `; ${outcome}`}.`);
    this.name = 'Interrupted';
    this.signal = signal;
    this.status = 128 + constants.signals[signal];
  }
}
