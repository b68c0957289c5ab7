// Measures inside the service what each connection does to the event loop, and prints a line once it has closed. For
// services that are asked by one connection at a time.
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Hold, holdLine } from './hold.ts';

const delay = monitorEventLoopDelay({ samplePerIteration: true });
delay.enable();

const threadCpu = (): number => {
  // Linux counts a thread's present time slice only once it is asked for the whole process.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return user + system;
};

let connections = 0;

subscribe('net.server.socket', (message) => {
  const { socket } = message as { readonly socket: Socket };
  const number = connections++;
  const start = threadCpu();
  delay.reset();
  socket.once('close', () => {
    const totalMs = (threadCpu() - start) / 1000;
    // The present iteration counts once it is over.
    setImmediate(() =>
      setImmediate(() => {
        const hold: Hold = { longestMs: delay.max / 1e6, totalMs };
        process.stdout.write(`${holdLine(number, hold)}\n`);
      }),
    );
  });
});
