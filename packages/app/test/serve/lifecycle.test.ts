import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { drain, listen, STOP_LIMITS_MS } from '../../src/serve/lifecycle.ts';
import { startOps } from '../../src/serve/service.ts';

describe('Draining a server', () => {
  it('cuts off open connections after a time, and lets the caller reset some of them before', async () => {
    const open: ServerResponse[] = [];
    const server = createServer((_, response) => {
      open.push(response);
      response.write('part');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const begin = async () => {
      const socket = connect(port, '127.0.0.1');
      socket.write('GET / HTTP/1.0\r\n\r\n');
      await once(socket, 'data');
      return socket;
    };
    const [reset, closed] = [await begin(), await begin()];
    const ends = Promise.all([once(reset, 'error'), once(closed, 'end')]);
    await drain(server, 50, () => void open[0]?.socket?.resetAndDestroy());
    const [[error]] = (await ends) as [[NodeJS.ErrnoException], unknown];
    expect(error.code).to.equal('ECONNRESET');
  });
});

it('The limits of a stop leave time for all its parts, which follow each other', () => {
  const { all, internalPort, requests, traces, worker } = STOP_LIMITS_MS;
  expect(requests + traces).to.be.below(worker);
  // The rest is for closing the connections to the database.
  expect(worker + internalPort + traces).to.be.at.most(all - 500);
});

describe('A server that cannot listen', () => {
  for (const [code, reason] of [
    ['EADDRNOTAVAIL', 'this machine does not have the address'],
    ['EAFNOSUPPORT', 'this machine has no such addresses'],
    ['EAI_AGAIN', 'the host name cannot be resolved'],
    ['ENOTFOUND', 'the host name cannot be resolved'],
  ] as const) {
    it(`names the setting of the host if ${reason} (${code})`, async () => {
      const server = createServer();
      server.listen = () => server;
      setImmediate(() => server.emit('error', Object.assign(new Error(), { code })));
      expect(await listen(server, { host: 'h', port: 1 }, 'PORT').catch(String)).to.equal(
        `OperatorError: Cannot listen on h:1: ${reason}; set HOST to another address.`,
      );
    });
  }

  it('names the setting of a port in use, and suggests "off" for the internal port', async () => {
    const busy = createServer().listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const at = { host: '127.0.0.1', port: (busy.address() as AddressInfo).port };
    const api = listen(createServer(), at, 'PORT').catch(String);
    const ops = startOps(at, { access: {} } as never).catch(String);
    const problem = `OperatorError: Cannot listen on 127.0.0.1:${at.port}: the port is in use;`;
    expect(await api).to.equal(`${problem} set PORT to another port.`);
    expect(await ops).to.equal(`${problem} set OPS_PORT to another port or to "off".`);
    busy.close();
  });
});
