import type { Variables } from '../../config/reader.ts';

/** Asks a question and returns the typed line, or null if the input ended or a signal interrupted the question. */
export type Ask = (question: string) => Promise<string | null>;

/** The environment, input and output of a command. */
export interface CliContext {
  readonly variables: Variables;
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<Uint8Array>;
  /** Asks the operator a question; null without a terminal. */
  readonly ask: Ask | null;
  /** Asks the operator for a secret without showing it; null if standard input is no terminal. */
  readonly askSecret: Ask | null;
  /** Writes to standard output. */
  readonly write: (text: string) => void;
  /** Resolves when standard output accepts more text, so that long output does not fill the memory. */
  readonly drained: () => Promise<void>;
  /** Writes to standard error. */
  readonly writeError: (text: string) => void;
  /** Standard error if it is a terminal, for progress bars; otherwise null. */
  readonly terminal: NodeJS.WriteStream | null;
  /** Whether standard output and standard error support colours. */
  readonly colours: { readonly out: boolean; readonly err: boolean };
}
