import { type ClientConfig, Pool, type PoolClient, type PoolConfig } from 'pg';
import { CheckedClient, type Host } from './checked-client.ts';
import { noHost } from './hosts.ts';

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

/** Milliseconds by which a timer may fire before its time. */
const TIMER_PRECISION_MS = 2;

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
    const deadline = performance.now() + (this.options.connectionTimeoutMillis ?? Number.POSITIVE_INFINITY);
    if (done) {
      this.#try(done, 1, deadline);
      return;
    }
    return new Promise((resolve, reject) => {
      this.#try((error, client) => (client ? resolve(client) : reject(error)), 1, deadline);
    });
  }

  /**
   * Tries each host once at most, and none after the deadline. A wait for a free connection says nothing of the host, and
   * is not repeated. Callbacks, because promises would cost each statement a part of its time.
   */
  #try(done: Done, tries: number, deadline: number): void {
    const turn = this.#turn;
    const fail = (error: unknown): void => {
      const isLast = tries >= this.#hosts.length || performance.now() >= deadline - TIMER_PRECISION_MS;
      if (this.#turn === turn) done(error as Error, undefined, () => {});
      else if (isLast) done(noHost(this.#hosts, this.#errors) as Error, undefined, () => {});
      else this.#try(done, tries + 1, deadline);
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
