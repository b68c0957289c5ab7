/** Something wrong with a line of a file. */
export interface LineFault {
  readonly file: string;
  /** The header is line 1. */
  readonly line: number;
  /** The column, or the empty text for the line as a whole. */
  readonly field: string;
  readonly detail: string;
}

/** The faults of a file: those of its first bad lines, and how many bad lines there are. */
export interface BadLines {
  readonly faults: readonly LineFault[];
  readonly lines: number;
}

/** Bad lines that are told; all are counted. Contract §10. */
export const MAX_REPORTED_LINES = 100;

/** The faults of the first lines, in the order of the lines. */
export const firstLines = (faults: readonly LineFault[], most: number): readonly LineFault[] => {
  const lines = [...new Set(faults.map(({ line }) => line))].toSorted((a, b) => a - b).slice(0, most);
  const last = lines.at(-1) ?? 0;
  return faults.filter(({ line }) => line <= last).toSorted((a, b) => a.line - b.line);
};

/** A line for each bad line, with all that is wrong with it. */
export const badLinesText = (faults: readonly LineFault[]): string => {
  const byLine = Map.groupBy(faults, ({ file, line }) => `${file}, line ${line}`);
  return [...byLine]
    .map(([place, found]) => `${place}: ${found.map(({ detail, field }) => `${field} ${detail}`.trim()).join('; ')}\n`)
    .join('');
};
