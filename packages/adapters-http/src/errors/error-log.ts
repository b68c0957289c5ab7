// The messages of these come from the engine alone. All others may quote the request: a driver quotes values, a parser
// the text before the fault.
const SAFE_TO_LOG = new Set(['TypeError', 'RangeError', 'ReferenceError']);

const FRAMES = /^\s+at .+$/gm;

/** An error as the log shows it: what it is and where it happened, without anything that a request brought. */
export interface LoggedError {
  readonly type: string;
  readonly code?: string;
  readonly message?: string;
  readonly stack: readonly string[];
  readonly cause?: LoggedError;
}

/** Turns a thrown value into what may be logged. */
export const loggedError = (thrown: unknown, depth = 0): LoggedError => {
  if (!(thrown instanceof Error)) return { type: typeof thrown, stack: [] };
  const { name, message, stack = '', cause } = thrown;
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
  return {
    type: name,
    ...(code === undefined ? {} : { code }),
    ...(SAFE_TO_LOG.has(name) ? { message } : {}),
    stack: (stack.match(FRAMES) ?? []).map((frame) => frame.trim()),
    ...(cause === undefined || depth > 3 ? {} : { cause: loggedError(cause, depth + 1) }),
  };
};
