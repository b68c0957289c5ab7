import { type ChildProcessByStdio, execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { call } from '../packages/app/test/cli/call.ts';
import { atLeast } from '../test-support/counts.ts';
import { asRole, useTestDatabase } from '../test-support/database.ts';
import { blocks, HOST, PROXIES } from '../test-support/documented-proxies.ts';
import { freePort } from '../test-support/free-port.ts';
import { env, isInstalled } from '../test-support/installed.ts';
import { spawn } from '../test-support/processes.ts';
import { query } from '../test-support/query.ts';
import { type ServiceProcess, serveInProcess } from '../test-support/service-process.ts';
import { skip } from '../test-support/skip.ts';

/** Returns the text that the shell commands of the document write into a file. */
const writtenTo = (file: string): string =>
  blocks('sh')
    .map((code) => code.split(`cat > ${file} <<'END'\n`)[1]?.split('\nEND\n')[0])
    .find((written) => written !== undefined) ?? expect.fail(`no command writes ${file}`);

describe('docs/production.md', () => {
  const database = useTestDatabase();
  // The folder stands for /etc/chapter and the folders of the proxies.
  const folder = mkdtempSync('/tmp/chapter-test-production-');
  let serving: string;
  let service: ServiceProcess;
  let ops: number;

  before(async () => {
    serving = await asRole(database.url, 'serving');
    ops = await freePort();
  });
  after(async () => {
    await service?.end();
    rmSync(folder, { recursive: true });
  });

  const settings = (): Record<string, string> =>
    Object.fromEntries(
      writtenTo('/etc/chapter/settings')
        .split('\n')
        .map((line) => line.replace('/etc/chapter', folder).split('=') as [string, string]),
    );

  it('has commands that create the schema, the keys, and the first people, with its settings', async () => {
    writeFileSync(join(folder, 'database-url'), serving);
    const commands = blocks('sh').flatMap((code) =>
      [...code.matchAll(/^(?:OWNER_\S+(?: \S+)?\) |\(umask 077; )?chapter (.+?)(?: +#.*|\)| > .*)*$/gm)].map(
        ([line, args = '']) => ({ line, args }),
      ),
    );
    const outputs: string[] = [];
    for (const { line, args } of atLeast(9, commands)) {
      const variables = { ...settings(), ...(line.startsWith('OWNER') ? { OWNER_DATABASE_URL: database.url } : {}) };
      const { status, out, err } = await call(args.split(' '), { variables });
      expect([status, err], line).to.deep.equal([0, '']);
      if (args === 'keys generate') writeFileSync(join(folder, 'keys.json'), out, { mode: 0o600 });
      outputs.push(out);
    }
    expect(outputs.join('')).to.match(/^ada .*the division$/m);
  });

  it('has settings with which the service serves', async () => {
    service = await serveInProcess({ ...settings(), PORT: '0', OPS_PORT: String(ops), LOG_LEVEL: 'info' });
    expect(service.output()).not.to.include('"level":"warn"');
    const stored = await query(database.url, 'select username from user_account order by username');
    expect(stored, 'no demo data').to.deep.equal([{ username: 'ada' }, { username: 'grace' }]);
    expect((await fetch(`http://127.0.0.1:${ops}/readyz`)).status).to.equal(200);
  });

  it('has a unit that systemd accepts', function () {
    if (!isInstalled('systemd-analyze', '--version')) skip(this, 'systemd-analyze is not installed');
    const unit = join(folder, 'chapter.service');
    const installation = join(folder, 'installation'); // a path without a space
    symlinkSync(process.cwd(), installation);
    writeFileSync(unit, readFileSync('deploy/chapter.service', 'utf8').replaceAll('/srv/chapter', installation));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' });
    const faults = stderr.split('\n').filter((line) => line.includes('chapter.service'));
    expect([status, faults]).to.deep.equal([0, []]);
  });

  for (const { name, version, start } of PROXIES) {
    describe(`with ${name}`, () => {
      let child: ChildProcessByStdio<null, null, Readable> | undefined;
      const ports = { http: 0, https: 0, api: 0, ops: 0 };

      /** Sends a request by HTTPS to the proxy from an address of this machine. */
      const send = (path: string, localAddress = '127.0.0.1', headers = {}, body?: string) =>
        new Promise<IncomingMessage>((resolve, reject) => {
          const ca = readFileSync(join(folder, 'fullchain.pem'));
          const to = { host: '127.0.0.1', port: ports.https, servername: HOST, ca, agent: false };
          const method = body === undefined ? 'GET' : 'POST';
          httpsRequest({ ...to, localAddress, path, method, headers: { Host: HOST, ...headers } }, (response) =>
            resolve(response.resume()),
          )
            .on('error', reject)
            .end(body);
        });

      before(async function () {
        // Only Linux has the addresses of the clients.
        if (process.platform !== 'linux') skip(this, `${name} is tested on Linux only`);
        if (!isInstalled(name, version)) skip(this, `${name} is not installed`);
        if (!isInstalled('openssl', 'version')) skip(this, 'openssl is not installed');
        const made = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem'), '-days', '2'];
        const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
        const names = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
        execFileSync('openssl', ['req', '-x509', ...key, ...names, ...made], { stdio: 'pipe' });
        const api = Number(new URL(service.url).port);
        Object.assign(ports, { http: await freePort(), https: await freePort(), api, ops });
        const [program = '', ...args] = start(folder, ports);
        child = spawn(program, args, {
          env: { ...env, HOME: folder, XDG_DATA_HOME: folder },
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        let output = '';
        child.stderr.on('data', (chunk: Buffer) => {
          output += chunk.toString();
        });
        while ((await send('/api/auth/keys/').catch(() => undefined))?.statusCode !== 200) {
          if (child.exitCode !== null) expect.fail(output);
          await sleep(50);
        }
      });

      after(async () => {
        if (child?.kill()) await once(child, 'exit');
      });

      it('redirects HTTP to HTTPS', async () => {
        const to = { host: '127.0.0.1', port: ports.http, path: '/api/docs/', headers: { Host: HOST }, agent: false };
        const [{ statusCode, headers }] = (await once(get(to), 'response')) as [IncomingMessage];
        expect([301, 308]).to.include(statusCode);
        expect(headers.location).to.equal(`https://${HOST}/api/docs/`);
      });

      it('passes the longest queries, and HSTS', async () => {
        const { statusCode, headers } = await send(`/api/users/?${'a'.repeat(24_000)}=1`);
        expect([statusCode, headers['content-type']]).to.deep.equal([401, 'application/problem+json']);
        expect(headers['strict-transport-security']).to.match(/^max-age=\d{8}/);
      });

      it('tells the service the address of the client, which the client cannot forge', async () => {
        const body = JSON.stringify({ username: `via-${name}`, password: 'wrong' });
        const logIn = (from: string, forged: string) =>
          send('/api/auth/login/', from, { 'Content-Type': 'application/json', 'X-Forwarded-For': forged }, body);
        for (let attempt = 0; attempt < 10; attempt += 1) {
          expect((await logIn('127.0.0.1', `198.51.100.${attempt}`)).statusCode).to.equal(401);
        }
        expect((await logIn('127.0.0.1', '198.51.100.99')).statusCode).to.equal(429);
        expect((await logIn('127.0.1.1', '127.0.0.1')).statusCode).to.equal(401);
      });
    });
  }
});
