// Runs inside the service. Measures how long each connection holds the event loop, and prints a line after it has closed.
// Works only for one connection at a time.
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { threadCpu } from '../../test-support/cpu-growth.ts';

const delay = monitorEventLoopDelay({ samplePerIteration: true });
delay.enable();

let connections = 0;

subscribe('net.server.socket', (message) => {
  const { socket } = message as { readonly socket: Socket };
  const number = connections++;
  const start = threadCpu();
  delay.reset();
  socket.once('close', () => {
    const totalMs = (threadCpu() - start) / 1000;
    const print = () => console.log(`hold ${number} ${delay.max / 1e6} ${totalMs};`);
    // The current iteration counts when it is over.
    setImmediate(() => setImmediate(print));
  });
});
