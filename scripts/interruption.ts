import { constants } from 'node:os';

/**
 * Returns a signal that the first SIGINT, SIGTERM or SIGHUP aborts. They no longer end this process; the caller must end the
 * work when the signal is aborted. The exit status becomes 128 + signal number.
 */
export const onInterruption = (): AbortSignal => {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) return;
      console.log(`Interrupted by ${signal}.`);
      process.exitCode = 128 + constants.signals[signal];
      controller.abort();
    });
  }
  return controller.signal;
};
