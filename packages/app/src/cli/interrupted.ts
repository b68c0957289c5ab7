import { constants } from 'node:os';

/** By what people and machines break a command off. */
export const BREAKING_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** One of {@link BREAKING_SIGNALS}. */
export type BreakingSignal = (typeof BREAKING_SIGNALS)[number];

/** A command that was broken off before it was done. */
export class BrokenOff extends Error {
  readonly signal: BreakingSignal;
  /** What the process ends with, by the convention of shells. */
  readonly status: number;

  /** `outcome` is what came of it, as a part of a sentence. */
  constructor(signal: BreakingSignal, outcome?: string) {
    super(`Broken off by ${signal}${outcome === undefined ? '' : `; ${outcome}`}.`);
    this.name = 'BrokenOff';
    this.signal = signal;
    this.status = 128 + constants.signals[signal];
  }
}
