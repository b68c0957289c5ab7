/** Milliseconds in which copies of a signal count once: npm passes on what its process group has had already. Contract §9. */
const COPY_WINDOW_MS = 250;

/**
 * Calls `handle` for each signal except its copies. Returns a function that removes the listeners.
 *
 * The window is closed by a timer instead of a comparison of times, so that it also covers copies that wait to be handled
 * while the machine is busy.
 */
export const onSignals = <Signal extends NodeJS.Signals>(
  signals: readonly Signal[],
  handle: (signal: Signal) => void,
): (() => void) => {
  const recent = new Set<Signal>();
  const listener = (signal: Signal): void => {
    if (recent.has(signal)) return;
    recent.add(signal);
    // Timers run before pending signals, immediates after them.
    setTimeout(() => setImmediate(() => recent.delete(signal)), COPY_WINDOW_MS).unref();
    handle(signal);
  };
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
};
