import { splitHosts } from '../database-url/index.ts';
import { CheckedClient, type Host, hostsOf } from './checked-client.ts';
import { makeKnownCluster, type ServerIdentity } from './known-cluster.ts';
import type { ConnectionOptions } from './options.ts';

/** Milliseconds between two rounds of questions, and how long a host may take to respond, including the connection. */
const ROUND_MS = 2000;

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

const UNWATCHED = {
  cluster: undefined,
  start: async () => {},
  refusedHosts: () => [],
  close: () => {},
};

/** Asks all hosts of a URL which of them is the primary, on one connection to each. A URL with one host is not asked. */
export const watchPrimary = (options: ConnectionOptions, roundMs = ROUND_MS) => {
  const { length } = splitHosts(options.url);
  if (length === 1) return UNWATCHED;
  const cluster = makeKnownCluster();
  const hosts = hostsOf({ ...options, cluster, allowsStandby: true, acquireTimeoutMs: ROUND_MS * length });
  // These connections are not to the primary only, so the cluster does not close them.
  const asks = hosts.map((host) => makeAsk({ ...host, cluster: undefined }));
  const responses: (ServerIdentity | undefined)[] = [];
  const running: (Promise<void> | undefined)[] = [];
  let isKnown = false;
  const askHost = async ({ ask }: (typeof asks)[number], at: number): Promise<void> => {
    const response = await ask();
    responses[at] = response;
    running[at] = undefined;
    if (isKnown && response) cluster.learn(response);
  };
  /** Asks the hosts that do not owe a response. A silent host delays no other. */
  const askAll = () => Promise.all(asks.map((host, at) => (running[at] ??= askHost(host, at))));
  const askFirst = async (): Promise<void> => {
    await askAll();
    isKnown = true;
    // In the order of the URL, so that its first primary decides which cluster it is.
    for (const response of responses) if (response) cluster.learn(response);
  };
  let first: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    cluster,
    /** Asks all hosts, and from then on every 2 seconds. Resolves after the first responses. */
    start: (): Promise<void> => {
      timer ??= setInterval(() => void askAll(), roundMs).unref();
      first ??= askFirst();
      return first;
    },
    /** Returns the hosts that are primaries and not used, each with the reason. */
    refusedHosts: (): readonly string[] =>
      hosts.flatMap(({ name }, at) => {
        const fault = responses[at] && cluster.faultOf(responses[at]);
        return fault === undefined ? [] : `${name}: ${fault}`;
      }),
    close: (): void => {
      clearInterval(timer);
      for (const { close } of asks) close();
    },
  };
};
