import { splitHosts } from '../database-url/index.ts';
import { CheckedClient, type Host, hostsOf } from './checked-client.ts';
import { type KnownCluster, makeKnownCluster, type ServerIdentity } from './known-cluster.ts';
import type { ConnectionOptions } from './options.ts';

/** Milliseconds between two rounds of questions, and how long a host may take to respond, including the connection. */
const ROUND_MS = 2000;

/** Asks all hosts of a URL which of them is the primary. */
export interface PrimaryWatch {
  /** What the responses say, for the checks of connections; undefined for a URL with one host, which is not asked. */
  readonly cluster: KnownCluster | undefined;
  /** Asks all hosts, and from then on every 2 seconds. Resolves after the first responses. */
  readonly start: () => Promise<void>;
  /** Returns the hosts that are primaries and not used, each with the reason. */
  readonly refusedHosts: () => readonly string[];
  readonly close: () => void;
}

/** Makes the questions to one host, on a connection that stays open. */
const makeAsk = (host: Host) => {
  let client: CheckedClient | undefined;
  const connect = (): Promise<unknown> => {
    const opened = new CheckedClient(host);
    client = opened;
    opened.once('end', () => {
      if (client === opened) client = undefined;
    });
    return opened.connect();
  };
  return {
    /** Returns undefined if the host does not respond. */
    ask: async (): Promise<ServerIdentity | undefined> => {
      try {
        await (client?.check() ?? connect());
      } catch {
        client = undefined;
      }
      return client?.server;
    },
    close: () => client?.closeBecause('the watch has ended'),
  };
};

const UNWATCHED: PrimaryWatch = {
  cluster: undefined,
  start: async () => {},
  refusedHosts: () => [],
  close: () => {},
};

/** Makes the watch of the hosts in a URL. It opens one connection to each of them. */
export const watchPrimary = (options: ConnectionOptions): PrimaryWatch => {
  const { length } = splitHosts(options.url);
  if (length === 1) return UNWATCHED;
  const cluster = makeKnownCluster();
  const hosts = hostsOf({ ...options, cluster, allowsStandby: true, acquireTimeoutMs: ROUND_MS * length });
  // These connections are not to the primary only, so the cluster does not close them.
  const asks = hosts.map((host) => makeAsk({ ...host, cluster: undefined }));
  let responses: readonly (ServerIdentity | undefined)[] = [];
  const askAll = async (): Promise<void> => {
    responses = await Promise.all(asks.map(({ ask }) => ask()));
    // In the order of the URL, so that its first primary decides which cluster it is.
    for (const response of responses) if (response) cluster.learn(response);
  };
  let running: Promise<void> | undefined;
  const runRound = (): Promise<void> => {
    running ??= askAll().finally(() => {
      running = undefined;
    });
    return running;
  };
  let first: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    cluster,
    start: () => {
      timer ??= setInterval(() => void runRound(), ROUND_MS).unref();
      first ??= runRound();
      return first;
    },
    refusedHosts: () =>
      hosts.flatMap(({ name }, at) => {
        const fault = responses[at] && cluster.faultOf(responses[at]);
        return fault === undefined ? [] : `${name}: ${fault}`;
      }),
    close: () => {
      clearInterval(timer);
      for (const { close } of asks) close();
    },
  };
};
