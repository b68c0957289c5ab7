import { callbackify } from 'node:util';
import { type DomainError, unavailable } from '@chapter/domain';
import { Client, type ClientBase, type ClientConfig, escapeLiteral } from 'pg';
import { hostOf, splitHosts } from '../database-url/index.ts';
import { clientConfig } from './client-config.ts';
import { translateError } from './errors.ts';
import { acquireTimeoutOf, type ConnectionOptions, parametersOf } from './options.ts';
import { sessionSettings } from './session-settings.ts';

/** Milliseconds for which the check of a connection holds, unless the options say otherwise. */
const DEFAULT_CHECK_INTERVAL_MS = 5000;

const STANDBY_FAULT = 'it is a standby, which may not know yet that a user is suspended; connect to the primary';
const READ_ONLY_FAULT =
  'it is read-only (default_transaction_read_only), and its URL has target_session_attrs=read-write; connect to the primary, reset default_transaction_read_only, or use target_session_attrs=primary';

/** What every connection must be. */
interface ConnectionCheck {
  /** Sets the session's settings and checks the server. @throws DomainError `unavailable` when it must not be used. */
  readonly run: (client: ClientBase) => Promise<void>;
  /** Whether a parameter that the server reports means that a checked connection must not be used any more. */
  readonly isViolatedBy: (parameter: string, value: string) => boolean;
}

interface Server {
  readonly is_standby: boolean;
  readonly read_only: string;
  readonly encoding: string;
}

/** Returns the error for a server that answers but must not be used. `reason` is a clause about "it", the server. */
const refuseServer = (reason: string): DomainError =>
  unavailable(new Error(`the database server was refused: ${reason}`));

/**
 * Returns the check of connections. It is one statement, because it costs each new connection a round trip. It sets the
 * settings instead of the startup packet, from which poolers drop `options`, or refuse it.
 */
const makeConnectionCheck = (options: ConnectionOptions): ConnectionCheck => {
  const settings = sessionSettings(options);
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', ${escapeLiteral(value)}, false)`);
  const text = `select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') as read_only,
    current_setting('server_encoding') as encoding, ${set.join(', ')}`;
  const needsPrimary = options.allowsStandby !== true;
  const needsWrites = parametersOf(options.url).get('target_session_attrs') === 'read-write';
  const faultOf = ({ is_standby, read_only, encoding }: Server): string | undefined => {
    if (encoding !== 'UTF8')
      return `it is in ${encoding} and must be in UTF8; create the database with encoding 'UTF8' template template0`;
    if (!needsPrimary) return undefined;
    if (is_standby) return STANDBY_FAULT;
    return needsWrites && read_only === 'on' ? READ_ONLY_FAULT : undefined;
  };
  return {
    run: async (client) => {
      const [server] = (await client.query<Server & Record<string, unknown>>(text)).rows;
      const fault = server ? faultOf(server) : 'it does not answer what it is';
      if (fault !== undefined) throw refuseServer(fault);
    },
    isViolatedBy: (parameter, value) =>
      parameter === 'in_hot_standby'
        ? needsPrimary && value === 'on'
        : settings[parameter] !== undefined && settings[parameter] !== value,
  };
};

/** One host of a database, and what connections to it must be. */
export interface Host {
  /** Host and port, for messages. */
  readonly name: string;
  readonly config: ClientConfig;
  readonly check: ConnectionCheck;
  /** Milliseconds that the handshake and the check may take together, and a later check alone. */
  readonly timeout: number;
  /** Milliseconds for which a check holds. */
  readonly checkInterval: number;
}

type Done = ((error: Error) => void) | ((error: null, client: Client) => void);

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

/** Explains what a pooler refuses before there is a session, and translates other errors. */
const connectFault = (error: unknown): unknown => {
  const [, parameter] = /^unsupported startup parameter(?: in options)?: (\w+)/.exec((error as Error).message) ?? [];
  return parameter === undefined
    ? translateError(error)
    : refuseServer(
        `a pooler in front of it refuses the startup parameter ${parameter}; remove it from the URL, or add it to the pooler's ignore_startup_parameters`,
      );
};

/** A connection that is checked when it is made, and closed when the server reports that the check no longer holds. */
export class CheckedClient extends Client {
  readonly #host: Host;
  readonly #onFailure: (error: unknown) => void;
  #isChecked = false;
  #checkedAt = 0;

  /** `onFailure` gets the error with which connecting or a check fails. */
  constructor(host: Host, config: ClientConfig = {}, onFailure: (error: unknown) => void = () => {}) {
    super({ ...config, ...host.config });
    this.#host = host;
    this.#onFailure = onFailure;
    // pg requires an 'error' listener; failures surface through the running queries.
    this.on('error', () => {});
    this.connection.on('parameterStatus', (status: ParameterStatus) => this.#hear(status));
  }

  override connect(): Promise<Client>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<Client> | void {
    if (!done) return this.#connectAndCheck();
    callbackify(() => this.#connectAndCheck())(done as (error: Error | null, client: Client) => void);
  }

  /**
   * Whether the check is so old that the server may be another one, or a standby, by now. A pooler changes servers behind
   * an open connection, and passes on the role of only the first one.
   */
  get needsCheck(): boolean {
    return performance.now() - this.#checkedAt >= this.#host.checkInterval;
  }

  /** Checks the connection, and closes it if that fails or takes too long. @throws DomainError `unavailable`. */
  check(): Promise<void> {
    return this.#closeOnFailure(() => this.#check());
  }

  async #check(): Promise<void> {
    await this.#host.check.run(this);
    this.#isChecked = true;
    this.#checkedAt = performance.now();
  }

  async #connectAndCheck(): Promise<Client> {
    await this.#closeOnFailure(async () => {
      await super.connect();
      await this.#check();
    });
    return this;
  }

  async #closeOnFailure(work: () => Promise<void>): Promise<void> {
    const timedOut = new Error('Connection terminated due to connection timeout');
    const timer = setTimeout(() => this.connection.stream.destroy(timedOut), this.#host.timeout);
    try {
      await work();
    } catch (error) {
      // The driver leaves some connections open that it could not use.
      this.connection.stream.destroy();
      const fault = connectFault(error);
      this.#onFailure(fault);
      throw fault;
    } finally {
      clearTimeout(timer);
    }
  }

  #hear({ parameterName, parameterValue }: ParameterStatus): void {
    if (this.#isChecked && this.#host.check.isViolatedBy(parameterName, parameterValue)) {
      this.connection.stream.destroy(new Error(`Connection terminated: ${parameterName} has become ${parameterValue}`));
    }
  }
}

/** Returns the hosts that connections may go to, in the order of the URL. Together they take no more than the acquire timeout. */
export const hostsOf = (options: ConnectionOptions): readonly Host[] => {
  const urls = splitHosts(options.url);
  const check = makeConnectionCheck(options);
  const timeout = acquireTimeoutOf(options) / urls.length;
  const { checkInterval = DEFAULT_CHECK_INTERVAL_MS } = options;
  return urls.map((url) => ({ name: hostOf(url), config: clientConfig(url), check, timeout, checkInterval }));
};

/** Returns the error for a database none of whose hosts can be used, given the error of each. */
export const noHost = (hosts: readonly Host[], errors: readonly unknown[]): unknown =>
  hosts.length === 1
    ? errors[0]
    : unavailable(
        new AggregateError(
          hosts.map(({ name }, at) => new Error(name, { cause: errors[at] })),
          'no host of the database can be used',
        ),
      );

/**
 * Opens a connection of its own to the first host that can be used. Statements are not pipelined on it.
 *
 * @throws DomainError `unavailable`.
 */
export const openClient = async (options: ConnectionOptions): Promise<Client> => {
  const hosts = hostsOf(options);
  const errors: unknown[] = [];
  for (const host of hosts) {
    try {
      return await new CheckedClient(host).connect();
    } catch (error) {
      errors.push(error);
    }
  }
  throw noHost(hosts, errors);
};
