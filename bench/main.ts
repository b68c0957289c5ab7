// Measures the service against the floor and writes bench/RESULTS.md. See bench/README.md for what can be set.
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { circumstances } from './circumstances.ts';
import { startSessions } from './data/callers.ts';
import { openDatabase, PASSWORD } from './data/database.ts';
import { makeKey, TOKEN_LIFETIME } from './data/keys.ts';
import { walkToCursors } from './deep-cursors.ts';
import { kindNamed, kinds } from './kinds.ts';
import { chooseGenerator } from './load/choose.ts';
import { findWrk } from './load/wrk.ts';
import { type ServerSettings, startServer } from './measure/server.ts';
import { measureDepth } from './more/depth.ts';
import { runHalfLoad } from './more/half-load.ts';
import { watchMemory } from './more/memory.ts';
import { measureStarts } from './more/starts.ts';
import { measureWorkers } from './more/workers.ts';
import { report } from './report/report.ts';
import { summarize } from './report/summary.ts';
import { runRounds } from './rounds.ts';
import { readSettings } from './settings.ts';

/** Turns at depth for each second of the rounds: the pages are so alike that fewer would not tell them apart. */
const DEPTH_TURNS = 4;

const settings = readSettings(process.env);
const { size, connections, seconds, scrypt, turns } = settings;
const say = (line: string): void => console.error(line);
const generator = chooseGenerator(settings, findWrk());
const open: (() => Promise<unknown>)[] = [];

try {
  say('filling the database');
  const database = await openDatabase(settings.databaseUrl, size, scrypt);
  open.push(database.stop);
  const key = makeKey();
  const folder = await mkdtemp(join(tmpdir(), 'chapter-bench-'));
  open.push(() => rm(folder, { recursive: true }));
  const keysFile = join(folder, 'keys.json');
  await writeFile(keysFile, key.text, { mode: 0o600 });
  const callers = await startSessions(database.client, size, key.privateKey);
  const [prober] = callers.deepStaff;
  if (!prober) throw new Error('nobody is there to ask');

  const probe = { path: `/api/users/${prober.id}/`, token: prober.token };
  const servers: ServerSettings = { databaseUrl: database.url, keysFile, scrypt, tokenLifetime: TOKEN_LIFETIME, probe };
  const starts = settings.more ? await measureStarts(turns, servers) : undefined;
  const floor = await startServer('floor', servers);
  open.push(floor.stop);
  const service = await startServer('service', { ...servers, nodeOptions: settings.nodeOptions });
  open.push(service.stop);

  const cursors = await walkToCursors(service.url, prober.token, size.deep);
  const world = { ...callers, size, cursors, password: PASSWORD };
  const chosen = kinds.filter(({ name }) => settings.kinds.length === 0 || settings.kinds.includes(name));
  const load = { connections, seconds };
  const vacuum = () => database.client.query('vacuum user_account');
  const ports = { generator, databasePid: database.pid, vacuum, floor, service, world, say, ...load };
  const when = circumstances(settings, { database: database.version, generator: generator.name });
  const read = kindNamed('read a user');
  const pages = { first: kindNamed('first page of 100,000'), deep: kindNamed('deep page') };
  const results = await runRounds(chosen, settings.rounds, ports);
  const hasDepth = settings.more && chosen.includes(pages.deep);
  const found = {
    circumstances: when,
    summaries: results.map(summarize),
    ...(hasDepth && {
      depth: await measureDepth(pages, Math.ceil(DEPTH_TURNS * settings.rounds * seconds), ports),
    }),
    ...(starts && { starts, halfLoad: await runHalfLoad(results, settings.halfLoadTurns, ports) }),
    ...(starts && {
      workers: await measureWorkers(read, world, generator, servers, { ...load, turns }),
    }),
    ...(settings.minutes > 0 && {
      memory: await watchMemory(chosen, world, generator, service, { minutes: settings.minutes, connections }),
    }),
  };
  const text = report(found);
  console.log(text);
  if (settings.output) writeFileSync(settings.output, text);
} finally {
  for (const close of open.toReversed()) await close();
}
