import type { Config } from '../config/config.ts';
import { DEMO_PASSWORD } from '../database/demo-data.ts';
import { onSignals } from '../system/signals.ts';
import { browserUrl } from './lifecycle.ts';
import { makeLog } from './log.ts';
import { type Service, startService } from './service.ts';

const welcome = ({ api, accounts }: Service, { http, log }: Config): string => {
  const url = browserUrl(api);
  const lines = [`The Chapter Membership Service listens on ${url}`];
  if (accounts.length > 0) {
    lines.push(`Demo accounts (password "${DEMO_PASSWORD}"):`);
    const width = Math.max(...accounts.map(({ username }) => username.length));
    lines.push(...accounts.map(({ username, role }) => `  ${username.padEnd(width)}  ${role}`));
  }
  if (http.docs) lines.push(`Documentation: ${url}/api/docs/`);
  return log.format === 'text' ? `${lines.join('\n')}\n` : '';
};

/** Milliseconds after which a stop that has not come to its end is broken off. Contract §9. */
const FORCED_EXIT_AFTER_MS = 9500;

/** How often, in milliseconds, to look whether the process that has started this one is still there. */
const PARENT_CHECK_INTERVAL_MS = 250;

/** Whether this process must not outlive its parent, which is that of `npm start` or `node --watch`. */
const dependsOnParent = ({ BOOTSTRAP_PID, WATCH_REPORT_DEPENDENCIES }: NodeJS.ProcessEnv): boolean =>
  BOOTSTRAP_PID === String(process.ppid) || WATCH_REPORT_DEPENDENCIES !== undefined;

/**
 * Waits for the first SIGTERM, SIGINT or SIGHUP, also while the service still starts, and returns its name. The end of a
 * parent that this process depends on counts as one. A second signal ends the process at once, and so does a stop that
 * takes too long.
 */
const waitForStop = (): Promise<string> =>
  new Promise((resolve) => {
    const parent = process.ppid;
    let asked = false;
    const stop = (why: string): void => {
      if (asked) process.exit(1);
      asked = true;
      setTimeout(() => process.exit(1), FORCED_EXIT_AFTER_MS).unref();
      resolve(why);
    };
    onSignals(['SIGTERM', 'SIGINT', 'SIGHUP'], stop);
    if (!dependsOnParent(process.env)) return;
    const watch = setInterval(() => {
      if (parent === process.ppid) return;
      clearInterval(watch);
      if (!asked) stop('the parent process has ended');
    }, PARENT_CHECK_INTERVAL_MS).unref();
  });

/** Serves until it is told to stop; then lets what runs finish, closes everything, and ends the process with status 0. */
export const runService = async (config: Config): Promise<never> => {
  const told = waitForStop();
  const log = await makeLog(config.log);
  const service = await startService(config, log).catch((error: unknown) => {
    // Once the caller has said why, for what nobody waits for would keep this process as well.
    setImmediate(() => process.exit());
    throw error;
  });
  log.info({ host: service.api.host, port: service.api.port }, 'listening');
  // Last, so that the address of the documentation is the end of what a start prints.
  process.stdout.write(welcome(service, config));
  const signal = await told;
  log.info({ signal }, 'stopping');
  await service.stop();
  // What is still under way, such as looking up the public address, would keep the process for as long as it takes.
  process.exit(0);
};
