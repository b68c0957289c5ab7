import type { Logger } from 'pino';
import { browserUrl } from '../config/addresses.ts';
import type { Config } from '../config/config.ts';
import { DEMO_PASSWORD } from '../database/demo-data.ts';
import { beginStart } from '../database/open-database.ts';
import { onSignals, STOP_SIGNALS } from '../system/signals.ts';
import { STOP_LIMITS_MS } from './lifecycle.ts';
import type { Service } from './service.ts';

/** Returns the lines that a start prints for people. The last one is the URL of the documentation. */
const welcome = ({ api, accounts }: Service, { http }: Config): string => {
  const url = browserUrl(api);
  const lines = [`The Chapter Membership Service listens on ${url}`];
  if (accounts.length > 0) {
    lines.push(`Demo accounts (password "${DEMO_PASSWORD}"):`);
    const width = Math.max(...accounts.map(({ username }) => username.length));
    lines.push(...accounts.map(({ username, role }) => `  ${username.padEnd(width)}  ${role}`));
  }
  if (http.docs) lines.push(`Documentation: ${url}/api/docs/`);
  return `${lines.join('\n')}\n`;
};

const announce = (service: Service, config: Config, log: Logger): void => {
  const { host, port } = service.api;
  if (config.log.format === 'text') process.stdout.write(welcome(service, config));
  else log.info({ host, port }, 'listening');
};

const PARENT_CHECK_INTERVAL_MS = 250;

/** Returns whether the parent is `npm start` or `node --watch`. This process must not outlive them. */
const dependsOnParent = ({ BOOTSTRAP_PID, WATCH_REPORT_DEPENDENCIES }: NodeJS.ProcessEnv): boolean =>
  BOOTSTRAP_PID === String(process.ppid) || WATCH_REPORT_DEPENDENCIES !== undefined;

/**
 * Waits for the first SIGTERM, SIGINT or SIGHUP, even during the start, and returns its name. The end of a parent that
 * this process depends on has the same effect as a signal. A second signal ends the process at once, and so does a stop
 * that takes too long.
 */
const waitForStop = (limitMs: number): Promise<string> =>
  new Promise((resolve) => {
    const parent = process.ppid;
    let isStopping = false;
    const stop = (why: string): void => {
      if (isStopping) process.exit(1);
      isStopping = true;
      setTimeout(() => process.exit(1), limitMs).unref();
      resolve(why);
    };
    onSignals(STOP_SIGNALS, stop);
    if (!dependsOnParent(process.env)) return;
    const watch = setInterval(() => {
      if (parent === process.ppid) return;
      clearInterval(watch);
      if (!isStopping) stop('the parent process has ended');
    }, PARENT_CHECK_INTERVAL_MS).unref();
  });

/** Starts the service. Its modules load while the embedded PostgreSQL starts, because both take a large part of it. */
const start = async (config: Config) => {
  const starting = await beginStart(config);
  const [{ startTelemetry }, { startService }] = await Promise.all([import('./telemetry.ts'), import('./service.ts')]);
  const { log, tracing } = await startTelemetry(config);
  return { log, tracing, service: await startService(config, log, tracing, starting) };
};

/** Serves until a signal. Then finishes running requests, closes everything, and ends the process with status 0. */
export const runService = async (config: Config): Promise<never> => {
  const stopRequested = waitForStop(config.shutdownDelay * 1000 + STOP_LIMITS_MS.all);
  const { log, service, tracing } = await start(config).catch((error: unknown) => {
    // Background work, such as an address lookup, would keep the process alive. Exits once the error is printed.
    setImmediate(() => process.exit());
    throw error;
  });
  announce(service, config, log);
  const signal = await stopRequested;
  log.info({ signal }, 'stopping');
  await service.stop();
  await tracing?.stop();
  // Background work, such as looking up the public address, would delay the end of the process.
  process.exit(0);
};
