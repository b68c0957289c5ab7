import { AggregatorRegistry } from 'prom-client';
import { openDatabase } from '../database/open-database.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { startApi } from './api.ts';
import { makeLog } from './log.ts';
import type { WorkerMessage, WorkerStart } from './workers.ts';

// With a callback, a message to a primary process that is gone is no uncaught error: 'disconnect' ends this process.
const tell = (message: WorkerMessage): void => void process.send?.(message, undefined, undefined, () => {});

const serve = async ({ accounts, config, heartbeatMs }: WorkerStart): Promise<void> => {
  const log = await makeLog(config.log);
  const database = await openDatabase(config);
  const stop = async (): Promise<void> => {
    await api.stop();
    await database.close();
    process.exit();
  };
  const api = await startApi(config, database, accounts, log);
  // The first one of a worker makes it answer the primary process, which asks for what all of them count.
  Reflect.construct(AggregatorRegistry, []);
  AggregatorRegistry.setRegistries([api.registry]);
  process.on('message', (message) => message === 'stop' && void stop());
  // The primary process is gone without a word: nobody would ever tell.
  process.once('disconnect', () => void stop());
  tell({ at: api.at });
  setInterval(() => tell({ acceptsWrites: database.acceptsWrites() }), heartbeatMs);
};

// A terminal sends its signals to all processes; it is the primary that says when to stop.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});

process.once('message', (start: WorkerStart) => {
  serve(start).catch((error: unknown) => {
    if (!(error instanceof OperatorError)) throw error;
    tell({ fault: error.message });
    process.exitCode = 1;
    process.disconnect?.();
  });
});
