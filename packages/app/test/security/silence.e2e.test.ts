import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Pool } from 'pg';
import { type Client, clientOf } from '../../../../test-support/client.ts';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { prepareDemo } from '../../../../test-support/demo-database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { type ServiceProcess, serveInProcess } from '../../../../test-support/service-process.ts';

const PASSWORDS = {
  demo: 'chapter-demo',
  wrong: 'wrong-Horse-battery',
  first: 'first-Horse-battery',
  second: 'second-Horse-battery',
  third: 'third-Horse-battery',
  broken: 'broken-Horse-battery',
  short: 'sH0rt-#',
};

describe('The output of the service at LOG_LEVEL=trace', () => {
  const database = useTestDatabase(prepareDemo);
  const dataDir = makeFolder();
  const keysFile = `${dataDir}/keys.json`;
  const secrets = new Set<string>(Object.values(PASSWORDS));
  const refusals: string[] = [];

  /** Adds the stored hashes and digests to the secrets, which must not appear in any output. */
  const keepStored = async (sql: Pool): Promise<void> => {
    const { rows } = await sql.query<{ secret: string | null }>(
      `select password_hash as secret from user_account union select password_hash from idempotency_key
        union select digest from refresh_token union select request from idempotency_key`,
    );
    for (const { secret } of rows) if (secret) secrets.add(secret);
  };
  const keepSession = ({ access_token: access, refresh_token: refresh }: Record<string, string>): string => {
    for (const secret of [access, ...(access?.split('.').slice(1) ?? []), refresh]) if (secret) secrets.add(secret);
    return access ?? '';
  };

  /** Sends all kinds of valid and invalid requests, with passwords and tokens in all places where clients may put them. */
  const session = async ({ url }: ServiceProcess, sql: Pool, name: string): Promise<void> => {
    const send = async (caller: Client, ...request: Parameters<Client>): ReturnType<Client> => {
      const response = await caller(...request);
      if (response.status >= 400) refusals.push(JSON.stringify([response.body, [...response.headers]]));
      await keepStored(sql);
      return response;
    };
    const anonymous = clientOf(url);
    const logIn = async (username: string, password: string): Promise<Client> =>
      clientOf(url, keepSession((await send(anonymous, 'POST', '/api/auth/login/', { username, password })).body));
    const leader = await logIn('leader', PASSWORDS.demo);
    await send(anonymous, 'POST', '/api/auth/login/', { username: 'leader', password: PASSWORDS.wrong });
    await send(anonymous, 'POST', '/api/auth/login/', { username: PASSWORDS.wrong, password: PASSWORDS.wrong });
    await send(anonymous, 'POST', '/api/auth/login/', { username: 'leader', passwrod: PASSWORDS.wrong });
    const key = { 'Idempotency-Key': `key-${name}` };
    const fresh = { username: name, email: `${name}@example.org`, password: PASSWORDS.first };
    const { body: created } = await send(leader, 'POST', '/api/users/', fresh, key);
    await send(leader, 'POST', '/api/users/', fresh, key);
    await send(leader, 'POST', '/api/users/', { ...fresh, password: PASSWORDS.second }, key);
    await send(leader, 'POST', '/api/users/', fresh);
    await send(leader, 'POST', '/api/users/', { username: 'x', password: PASSWORDS.short });
    await send(leader, 'POST', '/api/users/', { username: 'x', password: [PASSWORDS.broken] });
    const own = await logIn(name, PASSWORDS.first);
    const path = `/api/users/${created.id}`;
    await send(own, 'PATCH', path, { password: PASSWORDS.second, current_password: PASSWORDS.wrong });
    await send(own, 'PATCH', path, { password: PASSWORDS.second, current_password: PASSWORDS.first, id: 'x' });
    await send(own, 'PATCH', path, { password: PASSWORDS.second, current_password: PASSWORDS.first });
    await send(own, 'GET', '/api/info/');
    await send(leader, 'PATCH', path, { password: PASSWORDS.third, last_name: 'Known' });
    const { body: pair } = await send(anonymous, 'POST', '/api/auth/login/', {
      username: name,
      password: PASSWORDS.third,
    });
    keepSession(pair);
    const { body: next } = await send(anonymous, 'POST', '/api/auth/tokens/', { refresh_token: pair.refresh_token });
    keepSession(next);
    await send(anonymous, 'GET', `/api/users/?access_token=${pair.access_token}&password=${PASSWORDS.third}`);
    await send(leader, 'GET', `/api/users/?password=${PASSWORDS.third}`);
    await send(leader, 'GET', `/api/users/?search=${PASSWORDS.third}&cursor=${pair.refresh_token}`);
    await send(leader, 'GET', `/${PASSWORDS.third}/${pair.access_token}/`);
    await send(leader, 'GET', `/api/users/${PASSWORDS.third}`);
    await send(clientOf(url, `${pair.access_token.slice(0, -3)}AAA`), 'GET', '/api/info/');
    await send(clientOf(url, pair.refresh_token), 'GET', '/api/info/');
    await send(anonymous, 'GET', '/api/info/', undefined, {
      Authorization: `Basic ${btoa(`leader:${PASSWORDS.demo}`)}`,
    });
    await send(anonymous, 'DELETE', '/api/auth/tokens/', { refresh_token: next.refresh_token });
    const broken = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
    const response = await fetch(`${url}/api/auth/login/`, { ...broken, body: `{"password":"${PASSWORDS.broken}"` });
    refusals.push(await response.text());
    // An unexpected error with a chain of causes, while a password is being set.
    await sql.query(`create function fail() returns trigger language plpgsql as
      'begin raise exception ''failed with %'', new.password_hash; end';
      create trigger fail before update on user_account for each row execute function fail()`);
    const failed = await send(leader, 'PATCH', path, { password: PASSWORDS.first });
    expect(failed.status).to.equal(500);
    await sql.query('drop function fail cascade');
    await send(leader, 'DELETE', path);
  };

  for (const [environment, settings] of Object.entries({
    DEV: {},
    PROD: { CHAPTER_ENV: 'PROD', HOST: '127.0.0.1', JWT_KEYS_FILE: keysFile, CORS_ORIGINS: 'https://app.example.org' },
  })) {
    it(`contains no password, token, hash or key, and neither do the audit trail and refusals, in ${environment}`, async () => {
      const all = { DATABASE_URL: database.url, DATA_DIR: dataDir, LOG_LEVEL: 'trace', ...settings };
      const service = await serveInProcess(all);
      const sql = new Pool({ connectionString: database.url, max: 1 });
      sql.on('error', () => {});
      try {
        await session(service, sql, `session-${environment.toLowerCase()}`);
        const { rows } = await sql.query<{ text: string }>('select a::text as text from audit_entry a');
        const trail = rows.map(({ text }) => text).join('\n');
        await service.end();
        for (const { d } of JSON.parse(readFileSync(keysFile, 'utf8')).keys) secrets.add(d);
        const written = service.output();
        expect(written.match(/"msg":"request"| (?:GET|POST|PATCH|DELETE) /g)?.length).to.be.greaterThan(25);
        expect(written).to.include('request failed');
        for (const outcome of ['succeeded', 'refused']) {
          expect(written).to.match(new RegExp(`login.*"outcome":"${outcome}"|"outcome":"${outcome}".*"msg":"login"`));
        }
        expect(trail).to.include('Known').and.include('updateUser');
        expect(secrets.size).to.be.greaterThan(20);
        const places = { log: written, 'audit trail': trail, refusals: refusals.join('\n') };
        const seen = [...secrets].flatMap((secret) =>
          Object.entries(places).flatMap(([place, text]) =>
            text.includes(secret) ? [`${secret} in the ${place}`] : [],
          ),
        );
        expect(seen).to.deep.equal([]);
        expect(written).to.not.match(/password_hash|Horse|Bearer [\w.-]|eyJ|example\.org/);
      } finally {
        await sql.end();
        await service.end();
      }
    });
  }
});
