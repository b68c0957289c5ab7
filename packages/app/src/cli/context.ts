import type { Variables } from '../config/reader.ts';

/** What a command has of the world that called it. */
export interface CliContext {
  readonly variables: Variables;
  /** Standard input to its end. */
  readonly readInput: () => Promise<Uint8Array>;
  /** Writes to standard output. */
  readonly write: (text: string) => void;
  /** Writes to standard error. */
  readonly writeError: (text: string) => void;
  /** Where progress is shown: standard error, as far as it is a terminal. */
  readonly terminal: NodeJS.WriteStream | null;
  /** Whether standard output and standard error are terminals that show colours. */
  readonly colours: { readonly out: boolean; readonly err: boolean };
}
