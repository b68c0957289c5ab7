// The floor: the least code that answers the benchmarked requests over the service's own tables. It checks who asks and
// what they may, at every request and in the statement that does the work, and nothing else: no validation, no problems,
// no request ids, no limits. Nobody would want to maintain it; it is what the service's speed is compared with.
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Pool } from 'pg';
import { makeAnswer } from './floor/answer.ts';
import { readTokensWith } from './floor/tokens.ts';

const { DATABASE_URL = '', JWT_KEYS_FILE = '', PORT = '0', SCRYPT_LOG_N = '14', SCRYPT_P = '5' } = process.env;

const { keys } = JSON.parse(readFileSync(JWT_KEYS_FILE, 'utf8')) as { readonly keys: readonly [object] };
const privateKey = createPrivateKey({ key: { ...keys[0] }, format: 'jwk' });
const pool = new Pool({
  connectionString: DATABASE_URL,
  max: Number(process.env['DATABASE_POOL_SIZE'] ?? 10),
  // As the service's connections are set; and no statement is planned anew each time, as that of the deep page would be.
  options:
    '-c timezone=UTC -c datestyle=ISO,YMD -c max_parallel_workers_per_gather=0 -c jit=off -c random_page_cost=1.1 -c plan_cache_mode=force_generic_plan',
  idleTimeoutMillis: 300_000,
  // Every value as the text that it arrives in.
  types: { getTypeParser: () => (text: string) => text },
});
// A connection that breaks while nobody uses it; whoever needs one gets another.
pool.on('error', () => {});
const scrypt = { logN: Number(SCRYPT_LOG_N), r: 8, p: Number(SCRYPT_P) };

const answer = makeAnswer(pool, readTokensWith(privateKey), privateKey, scrypt);
// As long as the service's: else it closes those that wait for their turn in a light load.
const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => void answer(request, response));
server.listen(Number(PORT), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close(() => void pool.end());
  server.closeIdleConnections();
});
