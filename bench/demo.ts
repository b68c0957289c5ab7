import { prepareDemo } from '../test-support/demo-database.ts';
import { makeFolder } from '../test-support/folders.ts';
import { startEmbedded } from '../test-support/postgres/embedded.ts';
import { serveInProcess } from '../test-support/service-process.ts';
import { describeRun } from './report/markdown.ts';

/** Opens an embedded PostgreSQL with the demo data until `stack` is disposed. `programs` are those that share the machine. */
export const openDemo = async (stack: AsyncDisposableStack, programs: string) => {
  const dataDir = makeFolder();
  const server = await startEmbedded();
  stack.defer(server.stop);
  await prepareDemo(server.url);
  return {
    conditions: await describeRun(programs, server.url),
    /** Starts a service, which logs only errors, because formatting a log line as text costs as much as a request. */
    serve: async (settings: Readonly<Record<string, string>>) => {
      const fixed = { DATABASE_URL: server.url, DATA_DIR: dataDir, LOG_LEVEL: 'error', ACCESS_TOKEN_TTL: '3600' };
      const service = await serveInProcess({ ...fixed, TRUSTED_PROXIES: '1', ...settings });
      stack.defer(async () => void (await service.end()));
      return service;
    },
  };
};
