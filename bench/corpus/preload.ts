// Runs inside the service. Prints the CPU time of each connection in milliseconds, after it has closed. Works only for one
// connection at a time.
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

let connections = 0;

subscribe('net.server.socket', (message) => {
  const { socket } = message as { readonly socket: Socket };
  const before = process.cpuUsage();
  socket.once('close', () => {
    const { user, system } = process.cpuUsage(before);
    console.log(`used ${connections++} ${(user + system) / 1000};`);
  });
});
