import { callbackify } from 'node:util';
import { type ClientConfig, Pool, type PoolClient, type PoolConfig } from 'pg';
import { CheckedClient, type Host } from './checked-client.ts';
import { noHost } from './hosts.ts';

type Done = (error: Error | undefined, client: PoolClient | undefined, release: PoolClient['release']) => void;

/** A pool whose new connections go to the host that worked last, and after a failure to the next one. */
export class HostPool extends Pool {
  readonly #hosts: readonly Host[];
  /** The last error of each host. */
  readonly #errors: unknown[] = [];
  /** Counts the failures after which the pool has turned to the next host. */
  #turn = 0;

  constructor(hosts: readonly Host[], limits: PoolConfig, client: ClientConfig) {
    const next = (): ConstructorParameters<typeof CheckedClient> => this.#next(client);
    class HostClient extends CheckedClient {
      constructor() {
        super(...next());
      }
    }
    super({ ...limits, Client: HostClient });
    this.#hosts = hosts;
  }

  override connect(): Promise<PoolClient>;
  override connect(done: Done): void;
  override connect(done?: Done): Promise<PoolClient> | void {
    if (!done) return this.#connect();
    callbackify(() => this.#connect())((error, client) => {
      if (error) done(error, undefined, () => {});
      else done(undefined, client, (fault) => client.release(fault));
    });
  }

  /** Tries each host once at most. A wait for a free connection says nothing of the host, and is not repeated. */
  async #connect(): Promise<PoolClient> {
    for (let tries = 1; ; tries++) {
      const turn = this.#turn;
      try {
        return await this.#checked(await super.connect());
      } catch (error) {
        if (this.#turn === turn) throw error;
        if (tries >= this.#hosts.length) throw noHost(this.#hosts, this.#errors);
      }
    }
  }

  async #checked(client: PoolClient): Promise<PoolClient> {
    if (!(client instanceof CheckedClient) || !client.needsCheck) return client;
    try {
      await client.check();
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
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
