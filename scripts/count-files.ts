// Prints the files of packages/*/src in which a function runs while the service handles one `PATCH /api/users/{id}` and one
// `GET /api/users/`. These are the files to read to follow the request. The service runs in this process, where V8 counts the
// calls. It uses the database at DATABASE_URL, which must have the demo data, or an embedded one.
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../packages/app/src/config/config.ts';
import { makeLog } from '../packages/app/src/serve/log.ts';
import { startService } from '../packages/app/src/serve/service.ts';
import { testSettings } from '../test-support/service-process.ts';

const SOURCE = /^packages\/[^/]+\/src\//;

const SETTINGS = { ...testSettings, LOG_LEVEL: 'error' };

/** Requests before the measured one, which fill caches and load modules. */
const WARM_UP_REQUESTS = 3;

const makeSend = async (origin: string) => {
  const send = async (method: string, path: string, body?: object, token?: string) => {
    const response = await fetch(origin + path, {
      method,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const login = await send('POST', '/api/auth/login/', { username: 'leader', password: 'chapter-demo' });
  return (method: string, path: string, body?: object) => send(method, path, body, String(login['access_token']));
};

const makeCoverage = async () => {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    /** Returns the files in which a function ran since the last call. */
    take: async (): Promise<readonly string[]> => {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      return result
        .filter(({ url, functions }) => url.startsWith('file:') && functions.some(({ ranges }) => ranges[0]?.count))
        .map(({ url }) => relative(process.cwd(), fileURLToPath(url)))
        .filter((file) => SOURCE.test(file))
        .toSorted();
    },
    stop: () => session.disconnect(),
  };
};

/** Serves the two requests and returns, for each, the files in which a function ran. */
const visitedFiles = async (): Promise<Readonly<Record<string, readonly string[]>>> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'chapter-count-files-'));
  try {
    const { DATABASE_URL } = process.env;
    const config = readConfig({ ...SETTINGS, DATA_DIR: dataDir, ...(DATABASE_URL && { DATABASE_URL }) });
    const service = await startService(config, await makeLog(config.log));
    const coverage = await makeCoverage();
    try {
      const send = await makeSend(`http://${service.api.host}:${service.api.port}`);
      const { results } = await send('GET', '/api/users/?username=user');
      const [user] = results as readonly { readonly id: string }[];
      const requests = {
        'PATCH /api/users/{id}': (turn: number) =>
          send('PATCH', `/api/users/${user?.id}`, { first_name: `Name ${turn}` }),
        'GET /api/users/': () => send('GET', '/api/users/'),
      };
      const visited: Record<string, readonly string[]> = {};
      for (const [name, request] of Object.entries(requests)) {
        for (let turn = 0; turn < WARM_UP_REQUESTS; turn += 1) await request(turn);
        await coverage.take();
        await request(WARM_UP_REQUESTS);
        visited[name] = await coverage.take();
      }
      return visited;
    } finally {
      coverage.stop();
      await service.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true });
  }
};

for (const [request, files] of Object.entries(await visitedFiles())) {
  console.log(`${request}: ${files.length} files`);
  for (const file of files) console.log(`  ${file}`);
}
