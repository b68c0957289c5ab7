// Measures what the time of a failed login tells, and what a flood of logins does to others, and writes both into
// docs/security.md. BENCH=short: few samples and cheap hashes, printed only.
import { readFileSync, writeFileSync } from 'node:fs';
import { Client } from 'pg';
import { clientOf } from '../test-support/client.ts';
import { startEmbedded } from '../test-support/postgres/embedded.ts';
import { makeDataDir, serve } from '../test-support/service-process.ts';
import { PASSWORD } from '../test-support/two-services.ts';
import { measureFlood } from './logins/flood.ts';
import { loginReport } from './logins/report.ts';
import { measureTiming } from './logins/timing.ts';

const DOCUMENT = 'docs/security.md';
const BETWEEN = /(<!-- npm run bench:login -->\n)[^]*?(\n<!-- end -->)/;

const short = process.env['BENCH'] === 'short';
const scrypt = short ? { logN: 10, p: 1 } : { logN: 14, p: 5 };
const samples = Number(process.env['BENCH_SAMPLES'] ?? (short ? 20 : 300));
const load = { rate: 100, others: 50, seconds: short ? 1 : 10, rounds: short ? 1 : 3 };

const versionOf = async (connectionString: string): Promise<string> => {
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  await client.end();
  return `PostgreSQL ${rows[0]?.server_version}`;
};

const dataDir = makeDataDir();
const server = await startEmbedded();
try {
  const service = await serve({
    DATABASE_URL: server.url,
    DATA_DIR: dataDir.path,
    TRUSTED_PROXIES: '1',
    // What DEV writes for people to read costs as much as a request; PROD's lines of JSON do not.
    LOG_LEVEL: 'error',
    SCRYPT_LOG_N: String(scrypt.logN),
    SCRYPT_P: String(scrypt.p),
  });
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
  const flood = await measureFlood(url, { token: body.access_token, paths }, load);
  console.error('the flood is over');
  const timing = await measureTiming(url, guesses, samples);
  await service.end();
  const report = loginReport({ database: await versionOf(server.url), scrypt }, timing, flood);
  console.log(report);
  if (!short && samples >= 300) {
    const text = readFileSync(DOCUMENT, 'utf8');
    writeFileSync(
      DOCUMENT,
      text.replace(BETWEEN, (_, begin: string, end: string) => `${begin}\n${report}\n${end}`),
    );
  }
} finally {
  await server.stop();
  dataDir.remove();
}
