import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to the database that a test can break. */
export interface BreakableNetwork {
  /** The database's URL by this way. */
  readonly url: string;
  /** Cuts every connection, and refuses new ones until it is mended. */
  cut(): void;
  mend(): void;
  /** Cuts a connection as soon as it carries this text to the server: in front of it, or right behind it. */
  cutAt(text: string, where: 'before' | 'after'): void;
  /** Lets the connections that there are stand, and carries nothing on them any more. */
  fallSilent(): void;
  /** The same for connections that are still to come, too, until it is mended; then all of them go on. */
  hang(): void;
  close(): Promise<void>;
}

export const makeBreakableNetwork = async (target: string): Promise<BreakableNetwork> => {
  const url = new URL(target);
  const [port, host] = [Number(url.port), url.hostname];
  const sockets = new Set<Socket>();
  let isCut = false;
  let isHanging = false;
  let trap: { readonly text: string; readonly where: 'before' | 'after' } | undefined;

  const fallSilent = (): void => {
    for (const socket of sockets) socket.pause();
  };
  const server = createServer((client) => {
    if (isCut) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(port, host);
    let isLetGo = false;
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        if (!isLetGo) other.destroy();
      });
    }
    upstream.pipe(client);
    client.on('data', (chunk) => {
      const hit = trap && chunk.includes(trap.text) ? trap : undefined;
      if (hit?.where !== 'before') upstream.write(chunk);
      if (!hit) return;
      trap = undefined;
      // What has been sent still reaches the server, and what it answers nobody.
      isLetGo = true;
      client.resetAndDestroy();
      upstream.resume();
      upstream.end();
    });
    if (isHanging) fallSilent();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url.host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;

  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: url.href,
    cut,
    mend: () => {
      isCut = false;
      if (isHanging) for (const socket of sockets) socket.resume();
      isHanging = false;
    },
    cutAt: (text, where) => {
      trap = { text, where };
    },
    fallSilent,
    hang: () => {
      isHanging = true;
      fallSilent();
    },
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
};
