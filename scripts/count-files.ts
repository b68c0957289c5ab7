// Prints the files of packages/*/src in which a function runs while the service handles each of some requests, and while the
// command line runs `import --update`. These are the files to read to follow it. All of it runs in this process, where V8
// counts the calls. It uses the database at DATABASE_URL, which must have the demo data, or an embedded one.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeProgram } from '../packages/app/src/cli/run.ts';
import { readConfig } from '../packages/app/src/config/config.ts';
import { startService } from '../packages/app/src/serve/service.ts';
import { makeLog } from '../packages/app/src/serve/telemetry.ts';
import { silentContext } from '../packages/app/test/cli/call.ts';
import { makeFolder } from '../test-support/folders.ts';
import { testSettings } from '../test-support/service-process.ts';

const SOURCE = /^packages\/[^/]+\/src\//;

const SETTINGS = { ...testSettings, LOG_LEVEL: 'error' };

/** Runs before the measured one, which fill caches and load modules. */
const WARM_UPS = 3;

const LOGIN = { username: 'leader', password: 'chapter-demo' };

/** A list with search, filter, order and count. */
const LONG_LIST = '/api/users/?search=e&is_active=true&ordering=last_name&count=true';

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
  const login = await send('POST', '/api/auth/login/', LOGIN);
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

/** Serves the requests and runs the command. Returns, for each, the files in which a function ran. */
const visitedFiles = async (): Promise<Readonly<Record<string, readonly string[]>>> => {
  const dataDir = makeFolder();
  const { DATABASE_URL } = process.env;
  // Without the documentation, whose assets are compressed while the first requests are served.
  const variables = { ...SETTINGS, DOCS: 'off', DATA_DIR: dataDir, ...(DATABASE_URL && { DATABASE_URL }) };
  const config = readConfig(variables);
  const service = await startService(config, await makeLog(config.log));
  const coverage = await makeCoverage();
  try {
    const send = await makeSend(`http://${service.api.host}:${service.api.port}`);
    const { results } = await send('GET', '/api/users/?username=user');
    const [user] = results as readonly { readonly id: string }[];
    const usersFile = join(dataDir, 'users.csv');
    const runs = {
      'PATCH /api/users/{id}': async (turn: number) => {
        const change = { first_name: `Name ${turn}` };
        return async () => send('PATCH', `/api/users/${user?.id}`, change);
      },
      'POST /api/auth/login/': async () => () => send('POST', '/api/auth/login/', LOGIN),
      'GET /api/users/': async () => () => send('GET', '/api/users/'),
      [`GET ${LONG_LIST}`]: async () => () => send('GET', LONG_LIST),
      'import --update': async (turn: number) => {
        writeFileSync(usersFile, `username,last_name\nuser,Name ${turn}\n`);
        // Made before the measurement, because it makes all commands.
        const program = makeProgram({ ...silentContext, variables });
        return () => program.parseAsync(['import', '--update', '--users', usersFile], { from: 'user' });
      },
    };
    const visited: Record<string, readonly string[]> = {};
    for (const [name, prepare] of Object.entries(runs)) {
      for (let turn = 0; turn < WARM_UPS; turn += 1) await (await prepare(turn))();
      const run = await prepare(WARM_UPS);
      await coverage.take();
      await run();
      visited[name] = await coverage.take();
    }
    return visited;
  } finally {
    coverage.stop();
    await service.stop();
  }
};

for (const [name, files] of Object.entries(await visitedFiles())) {
  console.log(`${name}: ${files.length} files`);
  for (const file of files) console.log(`  ${file}`);
}
