import cluster, { type Worker } from 'node:cluster';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { extname, join } from 'node:path';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import type { Address } from '../config/addresses.ts';
import type { Config } from '../config/config.ts';
import type { DemoAccount } from '../database/demo-accounts.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { listen, STOP_LIMITS_MS } from './lifecycle.ts';

/** When the primary process considers a worker's event loop blocked, and replaces a dead worker, in milliseconds. */
export const HEALTH_LIMITS = {
  /** Interval at which a worker sends heartbeats and the primary process checks for them. */
  heartbeatMs: 1000,
  /** Without a heartbeat for this long, a worker counts as not serving. */
  silentAfterMs: 5000,
  /** A worker that does not serve this long after its start is killed. */
  startMs: 120_000,
  /** Without a heartbeat for this long, a worker is killed. Contract §8. */
  blockedAfterMs: 10_000,
  /** Delay before a dead worker is replaced. It doubles, up to the longest, for each that ends before it is steady. */
  restartMs: 500,
  longestRestartMs: 30_000,
  steadyAfterMs: 60_000,
};

/** Limits such as {@link HEALTH_LIMITS}. */
export type HealthLimits = Readonly<typeof HEALTH_LIMITS>;

/**
 * Counts the periods in which workers sent no heartbeat, and calls `onBlocked` once for a worker that has missed too
 * many. It counts periods instead of measuring time, so that no worker counts as blocked after a pause of the primary
 * process or of the machine.
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
    tick: (): void => {
      const blockedAfter = Math.ceil(blockedAfterMs / heartbeatMs);
      for (const [worker, periods] of missed) {
        missed.set(worker, periods + 1);
        if (periods + 1 === blockedAfter) onBlocked(worker);
      }
    },
  };
};

/** The program of a worker. It has the same file extension as this module (source or build output). */
const WORKER = join(import.meta.dirname, `worker${extname(import.meta.filename)}`);

/**
 * A message from a worker to the primary process: its address when it serves, the reason if it cannot, or a heartbeat
 * with whether its latest write was accepted.
 */
export type WorkerMessage = { readonly at: Address } | { readonly fault: string } | { readonly acceptsWrites: boolean };

/** The first message from the primary process to a worker. */
export interface WorkerStart {
  readonly config: Config;
  readonly accounts: readonly DemoAccount[];
  readonly heartbeatMs: number;
}

/**
 * Starts `config.workers` processes, keeps that many alive, and stops them together. A worker that dies, or whose event
 * loop is blocked, is replaced, of which `onReplaced` is told.
 *
 * @throws OperatorError if one of the first workers cannot serve.
 */
export const startWorkers = async (
  config: Config,
  accounts: readonly DemoAccount[],
  log: Logger,
  onReplaced: () => void,
  limits: HealthLimits = HEALTH_LIMITS,
) => {
  // Workers accept connections themselves. With the default policy, the primary process accepts them and queues them
  // for the workers. A flood would then use up its file descriptors, and the internal port would stop working.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: WORKER });
  const instanceKey = randomInt(2 ** 31);
  // Workers do not change the schema, so they get the owner's URL neither as a setting nor from the environment.
  const withoutOwner = { OWNER_DATABASE_URL: undefined, OWNER_DATABASE_URL_FILE: undefined };
  const servingConfig = { ...config, database: { ...config.database, ownerUrl: null, instanceKey } };
  const aggregator = new AggregatorRegistry();
  const health = makeWorkerHealth<Worker>(limits, (worker) => {
    log.error({ milliseconds: limits.blockedAfterMs }, 'a worker does not respond and is killed');
    worker.process.kill('SIGKILL');
  });
  const refusedWrites = new Set<Worker>();
  const ticks = setInterval(health.tick, limits.heartbeatMs);
  let stopping = false;
  let wait = limits.restartMs;

  const start = (): Promise<Address> => {
    const startedAt = Date.now();
    const worker = cluster.fork(withoutOwner);
    worker.send({ config: servingConfig, accounts, heartbeatMs: limits.heartbeatMs } satisfies WorkerStart);
    const startLimit = setTimeout(() => {
      log.error({ milliseconds: limits.startMs }, 'a worker has not started to serve and is killed');
      worker.process.kill('SIGKILL');
    }, limits.startMs);
    worker.once('exit', (status, signal) => {
      clearTimeout(startLimit);
      health.unwatch(worker);
      refusedWrites.delete(worker);
      if (stopping) return;
      const isSteady = Date.now() - startedAt >= limits.steadyAfterMs;
      wait = isSteady ? limits.restartMs : Math.min(wait * 2, limits.longestRestartMs);
      log.error({ status, signal }, 'a worker has died and is replaced');
      onReplaced();
      setTimeout(() => {
        // A new worker that cannot serve ends too, and its 'exit' event leads here again.
        if (stopping) return;
        start().catch(({ message }: Error) => {
          if (!stopping) log.error({ fault: message }, 'a worker cannot serve');
        });
      }, wait);
    });
    return new Promise((resolve, reject) => {
      // The event follows all messages, unlike 'exit'.
      worker.once('disconnect', () => reject(new OperatorError('A worker process ended before it started to serve.')));
      worker.on('message', (message: WorkerMessage) => {
        if ('acceptsWrites' in message) {
          health.onHeartbeat(worker);
          if (message.acceptsWrites) refusedWrites.delete(worker);
          else refusedWrites.add(worker);
        } else if ('fault' in message) reject(new OperatorError(message.fault));
        else if ('at' in message) {
          clearTimeout(startLimit);
          health.watch(worker);
          resolve(message.at);
        }
      });
    });
  };

  const stop = async (): Promise<void> => {
    stopping = true;
    // Stopping workers send no heartbeats. Another limit replaces them.
    clearInterval(ticks);
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    for (const worker of workers) if (worker.isConnected()) worker.send('stop');
    const cut = setTimeout(() => {
      for (const worker of workers) worker.process.kill('SIGKILL');
    }, STOP_LIMITS_MS.worker);
    await Promise.all(workers.filter((worker) => !worker.isDead()).map((worker) => once(worker, 'exit')));
    clearTimeout(cut);
  };

  try {
    // A worker of Node.js cannot try a port in use again, so the primary process waits for it.
    const probe = createServer();
    await listen(probe, config.http, 'PORT');
    probe.close();
    const [at] = await Promise.all(Array.from({ length: config.workers }, start));
    if (!at) throw new OperatorError('WORKERS must be at least 1.');
    return {
      at,
      /** Returns whether a worker serves and has sent a heartbeat recently. The others then accept no connections. */
      areReady: () => health.countResponsive() > 0,
      /** Returns whether the database has accepted the latest write of each worker. */
      acceptsWrites: () => refusedWrites.size === 0,
      registry: { contentType: aggregator.contentType, metrics: () => aggregator.clusterMetrics() },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};
