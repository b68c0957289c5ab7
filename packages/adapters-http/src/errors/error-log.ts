// Only the engine writes the messages of these errors. Other messages may quote the request: a driver quotes values, a
// parser quotes the text before the fault.
const SAFE_TO_LOG = new Set(['TypeError', 'RangeError', 'ReferenceError']);

const FRAMES = /^\s+at .+$/gm;

/** The logged form of an error: its type, code and stack, without data from the request. */
export interface LoggedError {
  readonly type: string;
  readonly code?: string;
  readonly message?: string;
  readonly stack: readonly string[];
  readonly cause?: LoggedError;
}

/** Converts a thrown value to a form that is safe to log. */
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
