import { readChanges } from './read-changes.ts';

/** The parts of Stryker's JSON report that are judged. */
export interface MutationReport {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly ReportedMutant[] }>>;
}

/** A position in a source file; lines and columns count from 1. */
interface Place {
  readonly line: number;
  readonly column: number;
}

interface ReportedMutant {
  readonly mutatorName: string;
  readonly replacement?: string | undefined;
  readonly status: string;
  /** The text that is replaced; `end` is the place after it. */
  readonly location: { readonly start: Place; readonly end: Place };
}

/** A mutant that may survive, because its behaviour does not differ in any way that matters. */
export interface AcceptedMutant {
  readonly file: string;
  /** The source line on which the mutant begins, trimmed, with the replaced text in quotation marks: `if («a») return;`. */
  readonly line: string;
  /** The text that replaces the original. */
  readonly replacement: string;
  readonly reason: string;
}

/** Returns the mutants that `accepted-mutants.txt` lists. */
export const readAcceptedMutants = (): readonly AcceptedMutant[] =>
  readChanges('accepted-mutants.txt').map(({ head: [file = '', reason = ''], from: line, to: replacement }) => ({
    file: `packages/domain/src/${file}`,
    line,
    replacement,
    reason,
  }));

/** The result of a run. */
export interface MutationResult {
  readonly detected: number;
  readonly accepted: number;
  /** Mutants that survive and are not accepted, one line each. */
  readonly survivors: readonly string[];
  /** Accepted mutants that no longer exist, if the report contains their file. */
  readonly stale: readonly AcceptedMutant[];
}

const DETECTED: ReadonlySet<string> = new Set(['Killed', 'Timeout']);

/** Returns the line on which a mutant begins, trimmed, with the replaced text of this line in quotation marks. */
const markedLine = (lines: readonly string[], { start, end }: ReportedMutant['location']): string => {
  const line = lines[start.line - 1] ?? '';
  const [from, to] = [start.column - 1, end.line === start.line ? end.column - 1 : line.length];
  return `${line.slice(0, from)}«${line.slice(from, to)}»${line.slice(to)}`.trim();
};

/** Returns the entry of a mutant among those that may survive. */
export const findAccepted = (
  accepted: readonly AcceptedMutant[],
  file: string,
  source: string,
  { location, replacement }: Pick<ReportedMutant, 'location' | 'replacement'>,
): AcceptedMutant | undefined => {
  const line = markedLine(source.split('\n'), location);
  return accepted.find((one) => one.file === file && one.line === line && one.replacement === replacement);
};

/** Judges a report. Every mutant must be detected or accepted, and every accepted mutant must exist. */
export const judge = ({ files }: MutationReport, accepted: readonly AcceptedMutant[]): MutationResult => {
  const used = new Set<AcceptedMutant>();
  const survivors: string[] = [];
  let [detected, survivingAccepted] = [0, 0];
  for (const [file, { source, mutants }] of Object.entries(files)) {
    for (const { location, mutatorName: mutator, replacement = '', status } of mutants) {
      const entry = findAccepted(accepted, file, source, { location, replacement });
      if (entry) {
        used.add(entry);
        survivingAccepted += 1;
      } else if (DETECTED.has(status)) detected += 1;
      else {
        const line = markedLine(source.split('\n'), location);
        survivors.push(
          `${file}:${location.start.line} ${status} ${mutator}: ${JSON.stringify(replacement)} in ${line}`,
        );
      }
    }
  }
  const stale = accepted.filter((entry) => Object.hasOwn(files, entry.file) && !used.has(entry));
  return { detected, accepted: survivingAccepted, survivors, stale };
};
