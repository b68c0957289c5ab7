import { type DomainError, type Tracer, unavailable } from '@chapter/domain/ports';
import { Pool, type PoolClient } from 'pg';
import { CheckedClient, DATES_AS_TEXT, type Host, hostsOf, noUsableHost } from './checked-client.ts';
import { acquireTimeoutOf, type ConnectionOptions, poolSizeOf, statementTimeoutOf } from './options.ts';
import { type SilenceWatch, streamOf, watchSilence } from './silence.ts';

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
    return refuse(fault);
  }
  accept();
};

const POOLED = { pipeline: true, types: DATES_AS_TEXT };

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

  constructor(options: ConnectionOptions, now: () => number) {
    const next = (): ConstructorParameters<typeof CheckedClient> => this.#next();
    const onOpening = (opening: CheckedClient): void => this.#silence?.watchOpening(opening);
    class HostClient extends CheckedClient {
      constructor() {
        super(...next());
        onOpening(this);
      }
    }
    super({
      max: poolSizeOf(options),
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      connectionTimeoutMillis: acquireTimeoutOf(options),
      Client: HostClient,
    });
    this.#hosts = hostsOf(options);
    this.#now = now;
    this.#tracer = options.tracer;
    // pg requires an 'error' listener; failures surface through the running queries.
    this.on('error', () => {});
    const { allowsSilence = false, maxLifetimeMs = MAX_LIFETIME_MS, requestDeadlineMs } = options;
    limitLifetimes(this, maxLifetimeMs);
    if (allowsSilence) return;
    if (!requestDeadlineMs) endSilentConnections(this, statementTimeoutOf(options));
    else this.#silence = watchSilence(this, requestDeadlineMs, () => new CheckedClient(...next()).connect());
  }

  /** Whether the server is silent, so that every caller is refused at once. */
  get isSilent(): boolean {
    return this.#silence?.isSilent() ?? false;
  }

  /** Returns the error of a call that is refused, because the server is silent. */
  refuse(): DomainError {
    this.incidents.refused += 1;
    return unavailable(new Error('the database server is silent'));
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

  #next(): ConstructorParameters<typeof CheckedClient> {
    const turn = this.#turn;
    const at = turn % this.#hosts.length;
    const [host] = this.#hosts.slice(at);
    if (!host) throw new Error('a pool needs a host');
    const onFailure = (error: unknown): void => {
      this.#errors[at] = error;
      if (this.#turn === turn) this.#turn += 1;
    };
    return [host, POOLED, onFailure];
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
 * and COPY is impossible. Dates, instants and intervals are read as text. `connect` throws DomainError `unavailable` if
 * no host is usable. `now` returns milliseconds.
 */
export const makePool = (options: ConnectionOptions, now = () => performance.now()): HostPool =>
  new HostPool(options, now);
