import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { drain } from '../../src/serve/lifecycle.ts';

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
    await drain(server, 0.05, () => void open[0]?.socket?.resetAndDestroy());
    const [[error]] = (await ends) as [[NodeJS.ErrnoException], unknown];
    expect(error.code).to.equal('ECONNRESET');
  });
});
