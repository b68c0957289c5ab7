/** Receives the progress of a long operation. */
export interface Progress {
  /** Starts the next phase, which has `total` steps. */
  readonly begin: (phase: string, total: number) => void;
  readonly to: (steps: number) => void;
  readonly end: () => void;
}

/** Ignores all progress. */
export const silentProgress: Progress = { begin: () => {}, to: () => {}, end: () => {} };

/** A fault in a line of a file. */
export interface LineFault {
  readonly file: string;
  /** The header is line 1. */
  readonly line: number;
  /** The column name; empty for a fault of the whole line. */
  readonly field: string;
  readonly detail: string;
}

/** The faults of the first bad lines of a file, and the number of all its bad lines. */
export interface BadLines {
  readonly faults: readonly LineFault[];
  readonly lines: number;
  /** Whether a line found has the id or name of a stored row, which only an update may change. */
  readonly needUpdate: boolean;
}

/** Maximum number of bad lines that are reported; all are counted. Contract §10. */
export const MAX_REPORTED_LINES = 100;

/** Returns the faults of the first `maxLines` bad lines, ordered by line. */
export const takeFirstLines = (faults: readonly LineFault[], maxLines: number): readonly LineFault[] => {
  const lines = [...new Set(faults.map(({ line }) => line))].toSorted((a, b) => a - b).slice(0, maxLines);
  const last = lines.at(-1) ?? 0;
  return faults.filter(({ line }) => line <= last).toSorted((a, b) => a.line - b.line);
};

/** Formats the faults with one line of text per bad line. */
export const badLinesText = (faults: readonly LineFault[]): string => {
  const byLine = Map.groupBy(faults, ({ file, line }) => `${file}, line ${line}`);
  return [...byLine]
    .map(([place, found]) => `${place}: ${found.map(({ detail, field }) => `${field} ${detail}`.trim()).join('; ')}\n`)
    .join('');
};
