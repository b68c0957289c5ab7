import { AggregatorRegistry } from 'prom-client';
import { openDatabase } from '../database/open-database.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { STOP_SIGNALS } from '../system/signals.ts';
import { startApi } from './api.ts';
import { startTelemetry } from './telemetry.ts';
import type { WorkerMessage, WorkerStart } from './workers.ts';

// The callback prevents an uncaught error if the primary process has ended. Then Node's cluster ends this process.
const sendToPrimary = (message: WorkerMessage, whenSent = (): void => {}): void =>
  void process.send?.(message, undefined, undefined, whenSent);

const serve = async ({ accounts, config, heartbeatMs }: WorkerStart): Promise<void> => {
  const { log, tracing } = await startTelemetry(config);
  const database = await openDatabase(config, undefined, tracing);
  const stop = async (): Promise<void> => {
    await api.stop();
    await database.close();
    await tracing?.stop();
    process.exit();
  };
  const api = await startApi(config, database, Promise.resolve(accounts), log, tracing);
  // The constructor makes this worker respond when the primary process collects the metrics of all workers.
  Reflect.construct(AggregatorRegistry, []);
  AggregatorRegistry.setRegistries([api.registry]);
  process.on('message', (message) => message === 'stop' && void stop());
  sendToPrimary({ at: api.at });
  setInterval(
    () => void database.acceptsWrites().then((acceptsWrites) => sendToPrimary({ acceptsWrites })),
    heartbeatMs,
  );
};

// A terminal sends its signals to all processes, but the primary process decides when workers stop.
for (const signal of STOP_SIGNALS) process.on(signal, () => {});

process.once('message', (start: WorkerStart) => {
  serve(start).catch((error: unknown) => {
    if (!(error instanceof OperatorError)) throw error;
    sendToPrimary({ fault: error.message }, () => process.exit(1));
  });
});
