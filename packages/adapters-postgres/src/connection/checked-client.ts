import { callbackify } from 'node:util';
import { type DomainError, isDomainError, unavailable } from '@chapter/domain/ports';
import { Client, type ClientBase, type ClientConfig, escapeLiteral, TypeOverrides, types } from 'pg';
import { hostOf, splitHosts, urlParameters } from '../database-url/index.ts';
import { isConnectionLost, translateError } from './errors.ts';
import { type ClusterConnection, IDENTITY, type ServerIdentity } from './known-cluster.ts';
import { acquireTimeoutOf, type ConnectionOptions, clientConfig, sessionSettings } from './options.ts';

/** Reads dates, instants and intervals as the server's text: JavaScript's `Date` has neither plain dates nor microseconds. */
export const DATES_AS_TEXT = new TypeOverrides();

const { DATE, TIMESTAMP, TIMESTAMPTZ, INTERVAL } = types.builtins;
for (const type of [DATE, TIMESTAMP, TIMESTAMPTZ, INTERVAL]) DATES_AS_TEXT.setTypeParser(type, String);

/** Milliseconds after which a connection must be checked again, unless the options say otherwise. */
const DEFAULT_CHECK_INTERVAL_MS = 5000;

const STANDBY_FAULT = 'it is a standby, which may not know yet that a user is suspended; connect to the primary';
const READ_ONLY_FAULT =
  'it is read-only (default_transaction_read_only), and its URL has target_session_attrs=read-write; connect to the primary, reset default_transaction_read_only, or use target_session_attrs=primary';

/** Without several hosts, the server is not asked for its cluster and its timeline. */
interface Server extends ServerIdentity {
  readonly read_only: string;
  readonly encoding: string;
}

/** Returns the error for a server that responds but is unsuitable. `reason` is a clause in which "it" is the server. */
const refuseServer = (reason: string): DomainError =>
  unavailable(new Error(`the database server was refused: ${reason}`));

/**
 * Returns the check of new connections. It is one statement, because it costs each connection a round trip. It also
 * sets the session's settings: poolers drop or refuse `options` in the startup packet.
 */
const makeConnectionCheck = (options: ConnectionOptions) => {
  const settings = sessionSettings(options);
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', ${escapeLiteral(value)}, false)`);
  const { cluster } = options;
  const text = `select ${cluster ? IDENTITY : 'pg_is_in_recovery() as is_standby'},
    current_setting('transaction_read_only') as read_only, current_setting('server_encoding') as encoding, ${set.join(', ')}`;
  const needsPrimary = options.allowsStandby !== true;
  const needsWrites = urlParameters(options.url).get('target_session_attrs') === 'read-write';
  const faultOf = (server: Server): string | undefined => {
    const { is_standby, read_only, encoding } = server;
    if (encoding !== 'UTF8')
      return `it is in ${encoding} and must be in UTF8; create the database with encoding 'UTF8' template template0`;
    if (!needsPrimary) return undefined;
    if (is_standby) return STANDBY_FAULT;
    cluster?.learn(server);
    const clusterFault = cluster?.faultOf(server);
    if (clusterFault !== undefined) return clusterFault;
    return needsWrites && read_only === 'on' ? READ_ONLY_FAULT : undefined;
  };
  return {
    /** Sets the session's settings, checks the server and returns it. @throws DomainError `unavailable` if it is unsuitable. */
    run: async (client: ClientBase): Promise<Server> => {
      const [server] = (await client.query<Server & Record<string, unknown>>(text)).rows;
      if (!server) throw refuseServer('it returned no row to the connection check');
      const fault = faultOf(server);
      if (fault !== undefined) throw refuseServer(fault);
      return server;
    },
    /** Whether a parameter status from the server makes a checked connection unsuitable. */
    isViolatedBy: (parameter: string, value: string): boolean =>
      parameter === 'in_hot_standby'
        ? needsPrimary && value === 'on'
        : settings[parameter] !== undefined && settings[parameter] !== value,
  };
};

type Done = ((error: Error) => void) | ((error: null, client: Client) => void);

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/** Explains a startup parameter that a pooler refuses, and translates other errors. */
const connectFault = (error: unknown): unknown => {
  const [, parameter] = /^unsupported startup parameter(?: in options)?: (\w+)/.exec((error as Error).message) ?? [];
  return parameter === undefined
    ? translateError(error)
    : refuseServer(
        `a pooler in front of it refuses the startup parameter ${parameter}; remove it from the URL, or add it to the pooler's ignore_startup_parameters`,
      );
};

/** A connection that is checked when opened, and closed when the server reports that it no longer meets the check. */
export class CheckedClient extends Client implements ClusterConnection {
  readonly #host: Host;
  readonly #onFailure: (error: unknown) => void;
  /** The error with which the connection was closed between two statements. */
  closingError: unknown;
  server: Server | undefined;
  #checkedAt = 0;

  /** `onFailure` gets the error if connecting or a check fails. */
  constructor(host: Host, config: ClientConfig = {}, onFailure: (error: unknown) => void = () => {}) {
    super({ ...config, ...host.config });
    this.#host = host;
    this.#onFailure = onFailure;
    this.on('error', (error) => {
      this.closingError ??= error;
    });
    this.connection.on('parameterStatus', (status: ParameterStatus) => this.#handleParameterStatus(status));
  }

  override connect(): Promise<Client>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<Client> | void {
    if (!done) return this.#connectAndCheck();
    callbackify(() => this.#connectAndCheck())(done as (error: Error | null, client: Client) => void);
  }

  /**
   * Whether the last check is so old that the connection may lead to another server or a standby by now. A pooler
   * switches servers without closing the client's connection, and reports only the role of the first one.
   */
  get needsCheck(): boolean {
    return performance.now() - this.#checkedAt >= this.#host.checkIntervalMs;
  }

  /** Checks the connection and closes it if the check fails or times out. @throws DomainError `unavailable`. */
  check(): Promise<void> {
    return this.#closeOnFailure(() => this.#check());
  }

  /** Closes the connection, which ends its statements with the error `unavailable`. */
  closeBecause(reason: string): void {
    this.connection.stream.destroy(new Error(`Connection terminated: ${reason}`));
  }

  async #check(): Promise<void> {
    this.server = await this.#host.check.run(this);
    this.#checkedAt = performance.now();
  }

  async #connectAndCheck(): Promise<Client> {
    await this.#closeOnFailure(async () => {
      await super.connect();
      await this.#check();
    });
    const { connections } = this.#host.cluster ?? {};
    connections?.add(this);
    this.once('end', () => connections?.delete(this));
    return this;
  }

  async #closeOnFailure(work: () => Promise<void>): Promise<void> {
    const timedOut = new Error('Connection terminated due to connection timeout');
    const timer = setTimeout(() => this.connection.stream.destroy(timedOut), this.#host.timeoutMs);
    try {
      await work();
    } catch (error) {
      // The driver leaves some connections open after a failure.
      this.connection.stream.destroy();
      const fault = connectFault(error);
      this.#onFailure(fault);
      throw fault;
    } finally {
      clearTimeout(timer);
    }
  }

  #handleParameterStatus({ parameterName, parameterValue }: ParameterStatus): void {
    if (this.server && this.#host.check.isViolatedBy(parameterName, parameterValue)) {
      this.closeBecause(`${parameterName} has become ${parameterValue}`);
    }
  }
}

/** Returns why work on a connection failed. After a connection was closed, the driver's errors do not say why. */
export const explainFailure = (client: Client, error: unknown): unknown => {
  const isLost = isDomainError(error) ? error.code === 'unavailable' : isConnectionLost(error);
  return (isLost && client instanceof CheckedClient ? client.closingError : undefined) ?? error;
};

/** Returns the hosts to connect to, in the order of the URL. Their timeouts add up to the acquire timeout. */
export const hostsOf = (options: ConnectionOptions) => {
  const urls = splitHosts(options.url);
  const check = makeConnectionCheck(options);
  const timeoutMs = acquireTimeoutOf(options) / urls.length;
  const { checkIntervalMs = DEFAULT_CHECK_INTERVAL_MS, cluster } = options;
  return urls.map((url) => ({
    /** Host and port, for messages. */
    name: hostOf(url),
    config: clientConfig(url),
    check,
    /** Closes the connection when another host turns out to be the primary. */
    cluster,
    /** How long connecting and the first check may take together, and each later check. */
    timeoutMs,
    /** The time after which a connection must be checked again. */
    checkIntervalMs,
  }));
};

/** One host of a database, with the requirements of connections to it. */
export type Host = Readonly<ReturnType<typeof hostsOf>[number]>;

/** Returns the error for a database with no usable host, given the error of each host. */
export const noUsableHost = (hosts: readonly Host[], errors: readonly unknown[]): unknown =>
  hosts.length === 1
    ? errors[0]
    : unavailable(
        new AggregateError(
          hosts.map(({ name }, at) => new Error(name, { cause: errors[at] })),
          'no host of the database can be used',
        ),
      );

/** Opens an unpooled connection, not pipelined, to the first usable host. @throws DomainError `unavailable`. */
export const openClient = async (options: ConnectionOptions): Promise<Client> => {
  const hosts = hostsOf(options);
  const errors: unknown[] = [];
  for (const host of hosts) {
    try {
      return await new CheckedClient(host, { types: DATES_AS_TEXT }).connect();
    } catch (error) {
      errors.push(error);
    }
  }
  throw noUsableHost(hosts, errors);
};
