import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Pool, PoolClient } from 'pg';

/** Parts of the deadline: without a byte for the first, a connection is suspect; then a probe has the second to be answered. */
const [SUSPECT, PATIENCE] = [0.2, 0.3];

/** Milliseconds between two probes of a silent server. */
const RETRY_MS = 100;

/** Selects those of some processes that do not wait for their client, such as a commit that waits for a standby. */
const BUSY = `select pid from pg_stat_activity
  where pid = any($1::int[]) and usename = session_user and wait_event is distinct from 'ClientRead'`;

/** Connections whose COMMIT has been sent. They are not given up while their server may answer it. */
export const committing = new WeakSet<PoolClient>();

/** Returns the socket of a connection. */
export const streamOf = (client: Client): Socket => client.connection.stream as Socket;

/** Returns the id of a connection's server process, which the types of pg lack. */
const processOf = (client: Client): unknown => Reflect.get(client, 'processID');

/**
 * Finds out whether a server is silent, or only slow (docs/decisions/0030). When a connection in use hears nothing for a fifth of
 * `deadlineMs`, probes ask on a new one, one at a time. If no connection is answered meanwhile, the server is silent: those in use
 * are given up, and the pool refuses at once, until a probe is answered. A connection that was given up keeps its place in
 * the pool until its server process has ended or is idle, so that the processes are never more than the places.
 */
export const watchSilence = (pool: Pool, deadlineMs: number, openProbe: () => Promise<Client>) => {
  const suspectMs = deadlineMs * SUSPECT;
  const inUse = new Set<PoolClient>();
  /** The connections in use that hear nothing, each with whether its process was idle at the last probe. */
  const suspects = new Map<PoolClient, boolean>();
  /** The connections that were given up, each with the function that frees its place once its statements have failed. */
  const abandoned = new Map<PoolClient, (() => void) | undefined>();
  let isSilent = false;
  let hasAnswered = false;
  let isWatching = false;
  let isStopped = false;

  const abandon = (client: PoolClient): void => {
    if (abandoned.has(client)) return;
    const release = client.release.bind(client);
    suspects.delete(client);
    abandoned.set(client, undefined);
    client.release = () => {
      if (isStopped) release(true);
      else abandoned.set(client, () => release(true));
    };
    streamOf(client).destroy(new Error('Connection terminated: the server is silent'));
  };

  const settle = (busy: ReadonlySet<unknown>, knowsProcesses: boolean): void => {
    for (const [client, free] of abandoned) {
      if (!busy.has(processOf(client))) free?.();
    }
    // A pooler gives its clients numbers of its own, even to the probe. So whether a process is busy remains unknown.
    if (!knowsProcesses) return;
    for (const [client, wasIdle] of suspects) {
      const isIdle = !busy.has(processOf(client));
      // An idle process may just have answered. If nothing has arrived by the next probe, the network has lost it.
      if (isIdle && wasIdle) abandon(client);
      else suspects.set(client, isIdle);
    }
  };

  const probe = async (): Promise<void> => {
    let client: Client | undefined;
    hasAnswered = false;
    const timer = setTimeout(() => {
      if (client) streamOf(client).destroy();
      if (hasAnswered) return;
      isSilent = true;
      for (const one of inUse) if (isStopped || !committing.has(one)) abandon(one);
    }, deadlineMs * PATIENCE);
    // A server that takes no connections may still serve those that it has. A pool that refuses would refuse this.
    if (!isSilent && pool.idleCount > 0) pool.query('select').catch(() => {});
    try {
      client = await openProbe();
      const pids = [client, ...suspects.keys(), ...abandoned.keys()].map(processOf);
      const { rows } = await client.query<[number]>({ text: BUSY, values: [pids], rowMode: 'array' });
      isSilent = false;
      const busy = new Set<unknown>(rows.flat());
      settle(busy, busy.has(processOf(client)));
    } catch (error) {
      // Its connections may be used up, but it serves those that are open. After another error, the next probe tries again.
      if (/SQLSTATE 53300/.test(String((error as Error).cause))) isSilent = false;
    }
    clearTimeout(timer);
    client?.end().catch(() => {});
  };

  const isUnsettled = (): boolean => !isStopped && (isSilent || suspects.size + abandoned.size > 0);
  const probeUntilSettled = async (): Promise<void> => {
    isWatching = true;
    do {
      await probe();
      await sleep(isSilent ? RETRY_MS : suspectMs);
    } while (isUnsettled());
    isWatching = false;
  };
  const watch = (): void => {
    if (!isWatching) void probeUntilSettled();
  };

  pool.on('connect', (client) => {
    streamOf(client).on('timeout', () => {
      if (!inUse.has(client) || suspects.has(client) || abandoned.has(client)) return;
      suspects.set(client, false);
      streamOf(client).once('data', () => {
        hasAnswered = true;
        suspects.delete(client);
      });
      watch();
    });
  });
  pool.on('acquire', (client) => {
    inUse.add(client);
    streamOf(client).setTimeout(suspectMs);
  });
  pool.on('release', (error, client) => {
    for (const known of [inUse, suspects, abandoned, committing]) known.delete(client);
    hasAnswered ||= !error;
    streamOf(client).setTimeout(0);
  });

  return {
    /** Whether no connection has been answered, not even a new one, and none has been since. */
    isSilent: () => isSilent,
    watchOpening: (client: Client): void => {
      const socket = streamOf(client);
      socket.setTimeout(suspectMs, watch);
      // With TLS, this is not the socket of the open connection.
      client.once('connect', () => socket.setTimeout(0, watch));
    },
    /** Ends the probes and gives up the connections that wait for a silent server. */
    stop: (): void => {
      isStopped = true;
      for (const client of suspects.keys()) abandon(client);
      for (const free of abandoned.values()) free?.();
    },
  };
};

/** What a pool knows about the silence of its server. */
export type SilenceWatch = ReturnType<typeof watchSilence>;
