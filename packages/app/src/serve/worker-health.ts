/** When the primary process considers the event loop of a worker blocked, in milliseconds. */
export const HEALTH_LIMITS = {
  /** Interval at which a worker sends heartbeats and the primary process checks for them. */
  heartbeatMs: 1000,
  /** Without a heartbeat for this long, a worker counts as not serving. */
  silentAfterMs: 5000,
  /** A worker that does not serve this long after its start is killed. */
  startMs: 120_000,
  /** Without a heartbeat for this long, a worker is killed. Contract §8. */
  blockedAfterMs: 10_000,
};

/** Limits such as {@link HEALTH_LIMITS}. */
export type HealthLimits = Readonly<typeof HEALTH_LIMITS>;

/**
 * Counts the periods in which workers sent no heartbeat, and calls `onBlocked` once for a worker that has missed too many.
 * It counts periods instead of measuring time, so that no worker counts as blocked after a pause of the primary process or
 * of the machine.
 */
export const makeWorkerHealth = <W>(limits: HealthLimits, onBlocked: (worker: W) => void) => {
  const { heartbeatMs, silentAfterMs, blockedAfterMs } = limits;
  const missed = new Map<W, number>();
  return {
    /** Starts to expect heartbeats of this worker. Call it when the worker serves, because its start may take long. */
    watch: (worker: W) => void missed.set(worker, 0),
    unwatch: (worker: W) => void missed.delete(worker),
    onHeartbeat: (worker: W): void => {
      if (missed.has(worker)) missed.set(worker, 0);
    },
    /** The number of watched workers that are not silent. */
    countResponsive: () => [...missed.values()].filter((periods) => periods * heartbeatMs < silentAfterMs).length,
    /** Adds one period without a heartbeat to each worker. */
    tick: (): void => {
      const blockedAfter = Math.ceil(blockedAfterMs / heartbeatMs);
      for (const [worker, periods] of missed) {
        missed.set(worker, periods + 1);
        if (periods + 1 === blockedAfter) onBlocked(worker);
      }
    },
  };
};
