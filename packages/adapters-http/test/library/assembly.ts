import { type HttpLog, type HttpSettings, makeHttpApi, makeHttpServer } from '@chapter/adapters-http';
import { makeAuthenticate, makeFairQueue, makeUseCases, type Timers } from '@chapter/domain/api';
import { makeWorld } from '@chapter/domain/testing';

const timers: Timers = {
  now: () => performance.now(),
  start: (milliseconds, action) => {
    const timer = setTimeout(action, milliseconds);
    return () => clearTimeout(timer);
  },
};

const settings: HttpSettings = {
  corsOrigins: ['https://app.example.org'],
  trustedProxies: 1,
  changesPerHour: 10_000,
  hsts: true,
  hstsIncludesSubdomains: false,
  passwordMinLength: 12,
  requestDeadlineMs: 5000,
  docs: false,
};

/** Makes a server of the API, on adapters in memory. It does not listen yet. */
export const makeServer = (log: HttpLog) => {
  // For a service that keeps its data, these are the ports of @chapter/adapters-postgres and @chapter/app.
  const ports = makeWorld();
  const api = makeHttpApi({
    useCases: makeUseCases(ports),
    authenticate: makeAuthenticate(ports),
    // At most 64 requests run at once, 48 of them reads or writes, 32 of one caller; 1,000 wait.
    requests: makeFairQueue({ maxRunning: 64, maxPerKey: [48, 32], maxWaiting: 1000 }, timers),
    settings,
    log,
  });
  return { api, server: makeHttpServer(api, { log }), ports };
};
