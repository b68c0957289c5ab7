// Measures what the time of a failed login reveals, and what a flood of logins does to other requests, and writes the results
// into docs/security.md. BENCH=short: few samples and cheap hashes, printed only, as with the setting HASH_PROCESSORS.
import { hashProcessors } from '../packages/app/src/passwords/scrypt-hash.ts';
import { clientOf } from '../test-support/client.ts';
import { prepareDemo } from '../test-support/demo-database.ts';
import { startEmbedded } from '../test-support/postgres/embedded.ts';
import { versionOf } from '../test-support/postgres/version.ts';
import { makeDataDir, serveInProcess } from '../test-support/service-process.ts';
import { PASSWORD } from '../test-support/two-services.ts';
import { measureFlood } from './logins/flood.ts';
import { loginReport } from './logins/report.ts';
import { measureTiming } from './logins/timing.ts';
import { describeRun, writeBetween } from './report/markdown.ts';

const isShort = process.env['BENCH'] === 'short';
const { HASH_PROCESSORS = '' } = process.env;
const scrypt = isShort ? { logN: 10, p: 1 } : { logN: 14, p: 5 };
const load = { loginRate: 100, readRate: 50, seconds: isShort ? 1 : 10, rounds: isShort ? 1 : 3 };

await using stack = new AsyncDisposableStack();
const dataDir = makeDataDir();
stack.defer(dataDir.remove);
const server = await startEmbedded();
stack.defer(server.stop);
await prepareDemo(server.url);
const conditions = describeRun('service, database and clients', [
  await versionOf(server.url),
  `scrypt with logN ${scrypt.logN}, r 8, p ${scrypt.p}, hashes at once: ${HASH_PROCESSORS || hashProcessors().byDefault}`,
]);
const service = await serveInProcess({
  DATABASE_URL: server.url,
  DATA_DIR: dataDir.path,
  TRUSTED_PROXIES: '1',
  // Logs only errors, because formatting a log line as text costs as much as a request.
  LOG_LEVEL: 'error',
  SCRYPT_LOG_N: String(scrypt.logN),
  SCRYPT_P: String(scrypt.p),
  HASH_PROCESSORS,
  // One token is valid for the whole run.
  ACCESS_TOKEN_TTL: '3600',
});
stack.defer(async () => void (await service.end()));
const { url } = service;
const { body } = await clientOf(url)('POST', '/api/auth/login/', { username: 'leader', password: PASSWORD });
const leader = clientOf(url, body.access_token);
const ids: string[] = [];
for (let at = 0; at < 20; at++) {
  const user = { username: `member-${at}`, password: 'a long enough secret', is_active: at >= 10 };
  ids.push((await leader('POST', '/api/users/', user)).body.id);
}
const paths = ['/api/info/', '/api/users/', ...ids.map((id) => `/api/users/${id}/`)];
const flood = await measureFlood(url, { token: body.access_token, paths }, load);
console.error('the flood is over');
const usernames = {
  unknown: (at: number) => `absent-${at % 10}`,
  inactive: (at: number) => `member-${at % 10}`,
  wrong: (at: number) => `member-${10 + (at % 10)}`,
};
const timing = await measureTiming(url, usernames, isShort ? 20 : 300);
const report = loginReport(conditions, timing, flood);
console.log(report);
if (!isShort && HASH_PROCESSORS === '') writeBetween('docs/security.md', 'npm run bench:login', report);
