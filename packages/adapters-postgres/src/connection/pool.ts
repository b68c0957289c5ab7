import type { Tracer } from '@chapter/domain/ports';
import { type ClientConfig, Pool, type PoolClient, type PoolConfig } from 'pg';
import { CheckedClient, DATES_AS_TEXT, type Host, hostsOf, noUsableHost } from './checked-client.ts';
import { acquireTimeoutOf, type ConnectionOptions, poolSizeOf, statementTimeoutOf } from './options.ts';
import { type SilenceWatch, silentServer, streamOf, watchSilence } from './silence.ts';

/** Milliseconds by which a timer may fire too early. */
const TIMER_PRECISION_MS = 2;

/** Milliseconds that a server may take, after its statement timeout, to report the cancellation. */
const CANCEL_GRACE_MS = 5000;

/** Milliseconds that an unused connection stays open. Requests after a quiet period then need no new connections. */
const IDLE_TIMEOUT_MS = 300_000;

/** Maximum age of a connection in milliseconds: its server process grows, and its host may get a new address. */
const MAX_LIFETIME_MS = 30 * 60_000;

type Done = (error: Error | undefined, client: PoolClient | undefined, release: PoolClient['release']) => void;

const recheck = async (client: CheckedClient, accept: () => void, refuse: (fault: unknown) => void): Promise<void> => {
  try {
    await client.check();
  } catch (fault) {
    refuse(fault);
    return;
  }
  accept();
};

interface HostPoolOptions {
  readonly now: () => number;
  /** Milliseconds after which a silent server counts as unavailable. */
  readonly deadline: number | undefined;
  readonly tracer: Tracer | undefined;
}

/** A pool whose new connections go to the host that worked last, or to the next host after a failure. */
export class HostPool extends Pool {
  /** How many transactions were repeated, and how many callers were refused by a silent server or got no connection. */
  readonly incidents = { repeated: 0, refused: 0, unconnected: 0 };
  readonly #hosts: readonly Host[];
  /** The last connection error of each host. */
  readonly #errors: unknown[] = [];
  /** How often the pool has switched to the next host after a failure. */
  #turn = 0;
  readonly #now: () => number;
  readonly #tracer: Tracer | undefined;
  readonly #silence: SilenceWatch | undefined;

  constructor(
    hosts: readonly Host[],
    limits: PoolConfig,
    client: ClientConfig,
    { now, deadline, tracer }: HostPoolOptions,
  ) {
    const next = (): ConstructorParameters<typeof CheckedClient> => this.#next(client);
    const onOpening = (opening: CheckedClient): void => this.#silence?.watchOpening(opening);
    class HostClient extends CheckedClient {
      constructor() {
        super(...next());
        onOpening(this);
      }
    }
    super({ ...limits, Client: HostClient });
    this.#hosts = hosts;
    this.#now = now;
    this.#tracer = tracer;
    if (deadline) this.#silence = watchSilence(this, deadline, () => new CheckedClient(...next()).connect());
  }

  /** Whether the server is silent, so that every caller is refused at once. */
  get isSilent(): boolean {
    return this.#silence?.isSilent() ?? false;
  }

  /** Returns the error of a call that is refused, because the server is silent. */
  refuse(): Error {
    this.incidents.refused += 1;
    return silentServer();
  }

  override end(): Promise<void> {
    this.#silence?.stop();
    return super.end();
  }

  override connect(): Promise<PoolClient>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<PoolClient> | void {
    const deadline = this.#now() + (this.options.connectionTimeoutMillis ?? Number.POSITIVE_INFINITY);
    if (done) {
      this.#try(done, 1, deadline);
      return;
    }
    const connect = (): Promise<PoolClient> =>
      new Promise((resolve, reject) => {
        this.#try((error, client) => (client ? resolve(client) : reject(error)), 1, deadline);
      });
    return this.#tracer && this.idleCount === 0 ? this.#tracer.span('wait', 'connection', connect) : connect();
  }

  /**
   * Tries each host at most once, and none after the deadline. A timeout while all connections are in use says nothing
   * about the host, so it is not retried. Uses callbacks, because promises would measurably slow every statement.
   */
  #try(done: Done, tries: number, deadline: number): void {
    if (this.isSilent) return done(this.refuse(), undefined, () => {});
    const turn = this.#turn;
    const fail = (error: unknown): void => {
      const isLast = tries >= this.#hosts.length || this.#now() >= deadline - TIMER_PRECISION_MS;
      if (this.#turn !== turn && !isLast) return this.#try(done, tries + 1, deadline);
      this.incidents.unconnected += 1;
      done((this.#turn === turn ? error : noUsableHost(this.#hosts, this.#errors)) as Error, undefined, () => {});
    };
    super.connect((error, client, release) => {
      if (error || !client) fail(error);
      else if (!(client instanceof CheckedClient) || !client.needsCheck) done(undefined, client, release);
      else {
        const refuse = (fault: unknown): void => {
          release(true);
          fail(fault);
        };
        void recheck(client, () => done(undefined, client, release), refuse);
      }
    });
  }

  #next(config: ClientConfig): ConstructorParameters<typeof CheckedClient> {
    const turn = this.#turn;
    const at = turn % this.#hosts.length;
    const [host] = this.#hosts.slice(at);
    if (!host) throw new Error('a pool needs a host');
    const onFailure = (error: unknown): void => {
      this.#errors[at] = error;
      if (this.#turn === turn) this.#turn += 1;
    };
    return [host, config, onFailure];
  }
}

/**
 * Closes connections whose server is silent while they are in use. The timeout is that of the socket: a timer per
 * statement, such as the driver's `query_timeout`, keeps result rows alive past the next garbage collections.
 */
const endSilentConnections = (pool: Pool, timeoutMs: number): void => {
  if (timeoutMs === 0) return;
  const limitMs = timeoutMs + Math.min(CANCEL_GRACE_MS, timeoutMs);
  pool.on('connect', (client) => {
    const stream = streamOf(client);
    stream.on('timeout', () => stream.destroy(new Error('Connection terminated: the server is silent')));
  });
  pool.on('acquire', (client) => streamOf(client).setTimeout(limitMs));
  // An idle connection may be silent.
  pool.on('release', (_, client) => streamOf(client).setTimeout(0));
};

/** Replaces each connection after 80 to 100 % of `lifetimeMs`, so that they are not all replaced at once. */
const limitLifetimes = (pool: Pool, lifetimeMs: number): void => {
  const chooseNext = (): void => {
    pool.options.maxLifetimeSeconds = (lifetimeMs / 1000) * (0.8 + 0.2 * Math.random());
  };
  chooseNext();
  // The pool has already read the value for the new connection, so this sets the one for the next connection.
  pool.on('connect', chooseNext);
};

/**
 * Returns a pool of checked connections. Statements on a connection are pipelined: each waits for those sent before it,
 * and COPY is impossible. Dates, instants and intervals are read as text. `connect` throws DomainError `unavailable` if no
 * host is usable. `now` returns milliseconds.
 */
export const makePool = (options: ConnectionOptions, now: () => number = () => performance.now()): HostPool => {
  const deadline = options.allowsSilence === true ? undefined : options.requestDeadlineMs;
  const limits = {
    max: poolSizeOf(options),
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    connectionTimeoutMillis: acquireTimeoutOf(options),
  };
  const { tracer } = options;
  const watch = { now, deadline, tracer };
  const pool = new HostPool(hostsOf(options), limits, { pipeline: true, types: DATES_AS_TEXT }, watch);
  // pg requires an 'error' listener; failures surface through the running queries.
  pool.on('error', () => {});
  if (options.allowsSilence !== true && !deadline) endSilentConnections(pool, statementTimeoutOf(options));
  limitLifetimes(pool, options.maxLifetimeMs ?? MAX_LIFETIME_MS);
  return pool;
};
