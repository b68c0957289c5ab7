import { callbackify } from 'node:util';
import { Client, type ClientConfig } from 'pg';
import { type ConnectionCheck, refuseServer } from './check-connection.ts';
import { translateError } from './errors.ts';

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
