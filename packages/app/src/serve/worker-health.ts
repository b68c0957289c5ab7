/** How the primary process notices that the event loop of a worker is blocked. */
export interface HealthLimits {
  /** How often a worker sends a heartbeat, and how often the primary process looks for them. */
  readonly heartbeatMs: number;
  /** Without a heartbeat for this long, a worker counts as not serving. */
  readonly silentAfterMs: number;
  /** A worker that does not serve this long after its start is killed. */
  readonly startMs: number;
  /** Without a heartbeat for this long, a worker is killed. Contract §8. */
  readonly blockedAfterMs: number;
}

/** The limits of the service. */
export const HEALTH_LIMITS: HealthLimits = {
  heartbeatMs: 1000,
  silentAfterMs: 5000,
  startMs: 120_000,
  blockedAfterMs: 30_000,
};

/** What the primary process knows of the event loops of workers. */
export interface WorkerHealth<W> {
  /** Expects heartbeats of this worker from now on: once it serves, for its start may take long. */
  readonly watch: (worker: W) => void;
  readonly unwatch: (worker: W) => void;
  readonly onHeartbeat: (worker: W) => void;
  /** The number of watched workers that are not silent. */
  readonly countResponsive: () => number;
  /** Counts one more period without a heartbeat for each worker. */
  readonly tick: () => void;
}

/**
 * Counts the periods in which workers sent no heartbeat, and calls `onBlocked` once for a worker that has missed too many.
 * It counts periods instead of measuring time, so that a pause of the primary process or the machine blames no worker.
 */
export const makeWorkerHealth = <W>(limits: HealthLimits, onBlocked: (worker: W) => void): WorkerHealth<W> => {
  const { heartbeatMs, silentAfterMs, blockedAfterMs } = limits;
  const missed = new Map<W, number>();
  return {
    watch: (worker) => void missed.set(worker, 0),
    unwatch: (worker) => void missed.delete(worker),
    onHeartbeat: (worker) => {
      if (missed.has(worker)) missed.set(worker, 0);
    },
    countResponsive: () => [...missed.values()].filter((periods) => periods * heartbeatMs < silentAfterMs).length,
    tick: () => {
      const blockedAfter = Math.ceil(blockedAfterMs / heartbeatMs);
      for (const [worker, periods] of missed) {
        missed.set(worker, periods + 1);
        if (periods + 1 === blockedAfter) onBlocked(worker);
      }
    },
  };
};
