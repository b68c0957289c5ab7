import { constants } from 'node:os';

/**
 * The first SIGINT, SIGTERM or SIGHUP from now on, which no longer ends this process: what listens to the result ends the
 * work, and the exit status becomes 128 + signal.
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
