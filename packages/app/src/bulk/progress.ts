/** Receives the progress of a long operation. */
export interface Progress {
  /** Starts the next phase, which has `total` steps. */
  readonly begin: (phase: string, total: number) => void;
  /** Reports the number of finished steps of the phase. */
  readonly to: (steps: number) => void;
  readonly end: () => void;
}

/** Ignores all progress. */
export const silentProgress: Progress = { begin: () => {}, to: () => {}, end: () => {} };
