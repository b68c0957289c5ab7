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

/** Milliseconds after which a stop that has not come to its end is broken off. Contract, section 9. */
const FORCED_EXIT_AFTER_MS = 9500;

/** How often, in milliseconds, to look whether the process that `npm start` runs is still there. */
const PARENT_CHECK_INTERVAL_MS = 250;

/**
 * The first SIGTERM, SIGINT or SIGHUP, which is a closed terminal's, from now on, also one that comes while the service
 * still starts; where `npm start` has started it and is gone without a word, that is one as well. A second signal ends the
 * process at once, and so does a stop that takes too long.
 */
const waitForStop = (starter: string | undefined): Promise<string> =>
  new Promise((resolve) => {
    let asked = false;
    const stop = (why: string): void => {
      if (asked) process.exit(1);
      asked = true;
      setTimeout(() => process.exit(1), FORCED_EXIT_AFTER_MS).unref();
      resolve(why);
    };
    onSignals(['SIGTERM', 'SIGINT', 'SIGHUP'], stop);
    if (starter !== String(process.ppid)) return;
    const watch = setInterval(() => {
      if (starter === String(process.ppid)) return;
      clearInterval(watch);
      if (!asked) stop('npm is gone');
    }, PARENT_CHECK_INTERVAL_MS).unref();
  });

/** Serves until it is told to stop; then lets what runs finish, closes everything, and ends the process with status 0. */
export const runService = async (config: Config): Promise<never> => {
  const told = waitForStop(process.env['BOOTSTRAP_PID']);
  const log = await makeLog(config.log);
  const service = await startService(config, log).catch((error: unknown) => {
    // Once the caller has said why, for what nobody waits for would keep this process as well.
    setImmediate(() => process.exit());
    throw error;
  });
  process.stdout.write(welcome(service, config));
  log.info({ host: service.api.host, port: service.api.port }, 'listening');
  const signal = await told;
  log.info({ signal }, 'stopping');
  await service.stop();
  // What is still under way, such as looking up the public address, would keep the process for as long as it takes.
  process.exit(0);
};
