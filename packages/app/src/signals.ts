/**
 * Milliseconds in which the same signal once more is an echo: what is sent to a whole group of processes, as Ctrl-C in a
 * terminal and `timeout` do, npm passes on to those that have had it already.
 */
const ECHO = 1000;

/** Tells of signals that come from now on, an echo aside. Returns what ends that. */
export const onSignals = <Signal extends NodeJS.Signals>(
  signals: readonly Signal[],
  tell: (signal: Signal) => void,
): (() => void) => {
  const told = new Map<Signal, number>();
  const hear = (signal: Signal): void => {
    const now = performance.now();
    if (now - (told.get(signal) ?? Number.NEGATIVE_INFINITY) < ECHO) return;
    told.set(signal, now);
    tell(signal);
  };
  for (const signal of signals) process.on(signal, hear);
  return () => {
    for (const signal of signals) process.off(signal, hear);
  };
};
