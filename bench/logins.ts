// Measures what the time of a failed login tells, and what a flood of logins does to others, and writes both into
// docs/security.md. BENCH=priorities: measures what the priority of the threads that hash costs, also beside other programs,
// and writes that. BENCH=short: all of it with few samples and cheap hashes, printed only.
import { clientOf } from '../test-support/client.ts';
import { startEmbedded } from '../test-support/postgres/embedded.ts';
import { versionOf } from '../test-support/postgres/version.ts';
import { makeDataDir, serve } from '../test-support/service-process.ts';
import { PASSWORD } from '../test-support/two-services.ts';
import { whenAndWhere } from './circumstances.ts';
import { measureFlood } from './logins/flood.ts';
import { measurePriorities } from './logins/priorities.ts';
import { loginReport, priorityReport } from './logins/report.ts';
import { measureTiming } from './logins/timing.ts';
import { writeBetween } from './report/write-between.ts';

const DOCUMENT = 'docs/security.md';
const mode = process.env['BENCH'];
const short = mode === 'short';
const scrypt = short ? { logN: 10, p: 1 } : { logN: 14, p: 5 };
const samples = Number(process.env['BENCH_SAMPLES'] ?? (short ? 20 : 300));
const load = { rate: 100, others: 50, seconds: short ? 1 : 10, rounds: short ? 1 : 3 };

const dataDir = makeDataDir();
const server = await startEmbedded();
try {
  const circumstances = whenAndWhere('service, database and those who ask', [
    await versionOf(server.url),
    `scrypt with logN ${scrypt.logN}, r 8, p ${scrypt.p}`,
  ]);
  const settings = {
    DATABASE_URL: server.url,
    DATA_DIR: dataDir.path,
    TRUSTED_PROXIES: '1',
    // What DEV writes for people to read costs as much as a request; PROD's lines of JSON do not.
    LOG_LEVEL: 'error',
    SCRYPT_LOG_N: String(scrypt.logN),
    SCRYPT_P: String(scrypt.p),
    // One token lasts for the whole run.
    ACCESS_TOKEN_TTL: '3600',
  };
  const service = await serve(settings);
  const { url } = service;
  const { body } = await clientOf(url)('POST', '/api/auth/login/', { username: 'leader', password: PASSWORD });
  const leader = clientOf(url, body.access_token);
  const ids: string[] = [];
  for (let at = 0; at < 20; at++) {
    const user = { username: `member-${at}`, password: 'a long enough secret', is_active: at >= 10 };
    ids.push((await leader('POST', '/api/users/', user)).body.id);
  }
  let count = 0;
  const next = (): number => {
    count += 1;
    return count;
  };
  const guesses = {
    unknown: () => ({ username: `absent-${next() % 10}`, password: `guess ${count}` }),
    inactive: () => ({ username: `member-${next() % 10}`, password: `guess ${count}` }),
    wrong: () => ({ username: `member-${10 + (next() % 10)}`, password: `guess ${count}` }),
  };
  const paths = ['/api/info/', '/api/users/', ...ids.map((id) => `/api/users/${id}/`)];
  const caller = { token: body.access_token, paths };
  if (mode !== 'priorities') {
    const flood = await measureFlood(url, caller, load);
    console.error('the flood is over');
    const timing = await measureTiming(url, guesses, samples);
    const report = loginReport(circumstances, timing, flood);
    console.log(report);
    if (!short && samples >= 300) writeBetween(DOCUMENT, 'npm run bench:login', report);
  }
  await service.end();
  if (mode !== undefined) {
    const brief = { ...load, seconds: short ? 1 : 5, rounds: 1, logins: short ? 2 : 10 };
    const start = (nodeOptions: string) => serve({ ...settings, NODE_OPTIONS: nodeOptions });
    const report = priorityReport(circumstances, await measurePriorities(start, caller, brief));
    console.log(report);
    if (!short) writeBetween(DOCUMENT, 'BENCH=priorities npm run bench:login', report);
  }
} finally {
  await server.stop();
  dataDir.remove();
}
