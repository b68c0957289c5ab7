/** Is told how far a long piece of work has come. */
export interface Progress {
  /** The next piece begins, of so many steps in all. */
  readonly begin: (what: string, total: number) => void;
  readonly to: (steps: number) => void;
  readonly end: () => void;
}

/** Tells nobody. */
export const silentProgress: Progress = { begin: () => {}, to: () => {}, end: () => {} };
