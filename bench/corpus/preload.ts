// Runs inside the service. Measures how long each connection blocks the event loop, and prints a line after it has closed.
// Works only for one connection at a time.
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ samplePerIteration: true });
delay.enable();

let connections = 0;

subscribe('net.server.socket', (message) => {
  const { socket } = message as { readonly socket: Socket };
  const number = connections++;
  delay.reset();
  socket.once('close', () => {
    // The monitor records the current iteration only when it ends.
    setImmediate(() => setImmediate(() => console.log(`blocked ${number} ${delay.max / 1e6};`)));
  });
});
