import cluster, { type Worker } from 'node:cluster';
import { extname, join } from 'node:path';
import type { OpsPorts } from '@chapter/adapters-http';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { OperatorError } from '../operator-error.ts';
import type { Listening } from './lifecycle.ts';

/** The program of a worker: beside this file, and of the same kind, be it the source or what was built of it. */
const WORKER = join(import.meta.dirname, `worker${extname(import.meta.filename)}`);

/** What a worker tells the primary process: that it serves, or in one sentence why it cannot. */
export type WorkerMessage = { readonly at: Listening } | { readonly fault: string };

/** Processes that serve together on one port. */
export interface Workers {
  readonly at: Listening;
  /** Whether all of them serve. */
  readonly areReady: () => boolean;
  /** What they count, summed up. */
  readonly registry: OpsPorts['registry'];
  readonly stop: () => Promise<void>;
}

/** Milliseconds after which a worker that has died is replaced; doubled each time it dies young. */
const BACK_OFF = { first: 500, most: 30_000, young: 60_000 };

/** Seconds after which a worker that does not end is killed. */
const PATIENCE = 9;

/** A connection as the primary process has it: closing it again does nothing. */
interface Connection {
  readonly close: () => void;
}

/**
 * Closes the connection that was on its way to a worker when it died; of each worker there is one at most. Node's primary
 * process would wait for the worker's word on it, keep it open, and let whoever is at its other end wait as well.
 */
const closeOnDeath = (worker: Worker, lastSentTo: WeakMap<Connection, Worker>): void => {
  const { process: child } = worker;
  const send = child.send.bind(child) as (...args: readonly unknown[]) => boolean;
  let last: Connection | undefined;
  child.send = (...args: readonly unknown[]): boolean => {
    const [message, handle] = args as [{ readonly act?: unknown }, Connection];
    if (message.act === 'newconn') {
      last = handle;
      lastSentTo.set(handle, worker);
    }
    return send(...args);
  };
  worker.once('exit', () => {
    // What it did not take has gone to another.
    if (last && lastSentTo.get(last) === worker) last.close();
  });
};

const exitOf = (worker: Worker): Promise<void> =>
  new Promise((resolve) => {
    if (worker.isDead()) resolve();
    else worker.once('exit', () => resolve());
  });

/**
 * Starts `config.workers` processes, keeps that many alive, and stops them together.
 *
 * @throws OperatorError when the first ones cannot serve.
 */
export const startWorkers = async (config: Config, log: Logger): Promise<Workers> => {
  cluster.setupPrimary({ exec: WORKER });
  const aggregator = new AggregatorRegistry();
  const serving = new Set<Worker>();
  const lastSentTo = new WeakMap<Connection, Worker>();
  let stopping = false;
  let wait = BACK_OFF.first;

  const start = (): Promise<Listening> => {
    const born = Date.now();
    const worker = cluster.fork();
    closeOnDeath(worker, lastSentTo);
    worker.send({ config });
    worker.once('exit', (status, signal) => {
      serving.delete(worker);
      if (stopping) return;
      wait = Date.now() - born < BACK_OFF.young ? Math.min(wait * 2, BACK_OFF.most) : BACK_OFF.first;
      log.error({ status, signal }, 'a worker has died and is replaced');
      setTimeout(() => {
        // One that cannot serve ends as well, and comes here again.
        if (!stopping) start().catch(() => {});
      }, wait);
    });
    return new Promise((resolve, reject) => {
      worker.once('exit', () => reject(new OperatorError('a worker process has ended before it served')));
      worker.on('message', (message: WorkerMessage) => {
        if ('fault' in message) reject(new OperatorError(message.fault));
        if (!('at' in message)) return;
        serving.add(worker);
        resolve(message.at);
      });
    });
  };

  const stop = async (): Promise<void> => {
    stopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    for (const worker of workers) if (worker.isConnected()) worker.send('stop');
    const cut = setTimeout(() => {
      for (const worker of workers) worker.process.kill('SIGKILL');
    }, PATIENCE * 1000);
    await Promise.all(workers.map(exitOf));
    clearTimeout(cut);
  };

  try {
    const [at] = await Promise.all(Array.from({ length: config.workers }, start));
    if (!at) throw new OperatorError('WORKERS must be at least 1');
    return {
      at,
      areReady: () => serving.size === config.workers,
      registry: { contentType: aggregator.contentType, metrics: () => aggregator.clusterMetrics() },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
};
