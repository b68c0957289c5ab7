// Measures what the time of a failed login reveals, and what a flood of logins does to other requests, and writes the results
// into docs/security.md. BENCH=short: few samples and cheap hashes, printed only.
import { clientOf } from '../test-support/client.ts';
import { PASSWORD } from '../test-support/two-services.ts';
import { openDemo } from './demo.ts';
import { measureFlood } from './logins/flood.ts';
import { loginReport } from './logins/report.ts';
import { measureTiming } from './logins/timing.ts';
import { writeBetween } from './report/markdown.ts';

const isShort = process.env['BENCH'] === 'short';
const scrypt = isShort ? { logN: 10, p: 1 } : { logN: 14, p: 5 };
const load = { loginRate: 100, readRate: 50, seconds: isShort ? 1 : 10, rounds: isShort ? 1 : 3 };

await using stack = new AsyncDisposableStack();
const { conditions, serve } = await openDemo(stack, 'service, database and clients');
const { url } = await serve({ SCRYPT_LOG_N: String(scrypt.logN), SCRYPT_P: String(scrypt.p) });
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
const report = loginReport([...conditions, `scrypt with logN ${scrypt.logN}, r 8, p ${scrypt.p}`], timing, flood);
console.log(report);
if (!isShort) writeBetween('docs/security.md', 'npm run bench:login', report);
