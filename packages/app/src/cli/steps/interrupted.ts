import { constants } from 'node:os';
import type { StopSignal } from '../../system/signals.ts';

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
