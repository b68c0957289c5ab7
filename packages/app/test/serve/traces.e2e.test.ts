import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Client, clientOf, logIn } from '../../../../test-support/client.ts';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { freePort } from '../../../../test-support/free-port.ts';
import { type ServiceProcess, serveInProcess } from '../../../../test-support/service-process.ts';
import { call, makeChapter } from '../cli/call.ts';
import { type Span, startCollector } from './trace-collector.ts';

const PASSWORD = 'a long enough secret';
/** Occurs in all that is stored about a person. */
const PERSONAL = 'zaphod';
const LOADED_SDK = 'loaded the SDK of OpenTelemetry: ';
/** Node option that makes a service print which modules of the SDK it loads. */
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
  registerHooks({ load(url, context, next) {
    if (url.includes('@opentelemetry/sdk')) console.error('${LOADED_SDK}' + url);
    return next(url, context);
  } });`,
)}`;

const traceOf = (id: string, flags: '00' | '01') => ({ traceparent: `00-${id}-${'cd'.repeat(8)}-${flags}` });

describe('Traces', () => {
  const database = useTestDatabase();
  const keysFile = join(makeFolder(), 'keys.json');
  let collector: Awaited<ReturnType<typeof startCollector>>;
  let service: ServiceProcess;
  let settings: Record<string, string>;
  let leader: Client;
  let id: string;
  let division: string;

  before(async () => {
    writeFileSync(keysFile, (await call(['keys', 'generate'])).out, { mode: 0o600 });
    collector = await startCollector();
    settings = {
      CHAPTER_ENV: 'PROD',
      DATABASE_URL: database.url,
      JWT_KEYS_FILE: keysFile,
      CORS_ORIGINS: 'https://members.example.org',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      MIGRATE_ON_START: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      DATABASE_POOL_SIZE: '1',
      HASH_PROCESSORS: '1',
      OTEL_BSP_SCHEDULE_DELAY: '20',
      OPS_PORT: String(await freePort()),
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    };
    service = await serveInProcess(settings);
    const { json } = makeChapter(() => settings);
    division = (await json(`divisions create --name ${PERSONAL}-north`)).id;
    const admit = `users create --division ${division} --username ${PERSONAL} --group Leader`;
    await json(`${admit} --staff --superuser --password-stdin`, PASSWORD);
    leader = await logIn(service.url, PERSONAL, PASSWORD);
    const member = { username: `${PERSONAL}2`, password: PASSWORD, email: `${PERSONAL}@example.org`, groups: ['User'] };
    id = (await leader('POST', '/api/users/', { ...member, first_name: PERSONAL, last_name: PERSONAL })).body.id;
  });
  after(async () => {
    await service.end();
    collector.close();
  });

  it('have a request below the span of its client, with the use case, its statements, hashes and waits below it', async () => {
    const traceId = 'ab'.repeat(16);
    const changes = { last_name: `${PERSONAL} the first`, password: `${PASSWORD}!` };
    expect((await leader('PATCH', `/api/users/${id}`, changes, traceOf(traceId, '01'))).status).to.equal(200);
    const server = await collector.exportedSpan((span) => span.traceId === traceId && span.kind === 2);
    expect(server).to.include({ name: 'PATCH /api/users/{id}', parentSpanId: 'cd'.repeat(8) });
    const useCase = await collector.exportedSpan(
      (span) => span.parentSpanId === server.spanId && span.name === 'updateUser',
    );
    const transaction = await collector.exportedSpan(
      (span) => span.parentSpanId === useCase.spanId && span.name === 'transaction',
    );
    const sent = transaction.events?.map(({ name }) => name);
    expect(sent).to.include.members(['end-all-sessions', 'change-user', 'write-audit']);
    const first = collector.spans().find((span) => span.parentSpanId === transaction.spanId);
    expect(first?.name).to.be.a('string');
    expect(
      (await collector.exportedSpan((span) => span.traceId === traceId && span.name === 'password')).kind,
    ).to.equal(1);
  });

  it('show the waits for a request, a hash, a lock and a connection', async () => {
    const isWait = ({ attributes }: Span): boolean => attributes.some(({ key }) => key === 'chapter.wait');
    const missing = new Set(['requests', 'hashes', 'writes', 'connection']);
    while (missing.size > 0) {
      const changes = ['a', 'b', 'c'].flatMap((more) => [{ password: `${PASSWORD}${more}` }, { last_name: more }]);
      await Promise.all([
        ...changes.map((change) => leader('PATCH', `/api/users/${id}`, change)),
        ...Array.from({ length: 100 }, () => leader('GET', '/api/users/')),
      ]);
      for (const span of collector.spans()) if (isWait(span)) missing.delete(span.name);
    }
  });

  it('have the same id in the problem and in the log line', async () => {
    const { body } = await leader('GET', '/api/users/?ordering=nothing');
    expect(body.trace_id).to.match(/^[0-9a-f]{32}$/);
    const server = await collector.exportedSpan((span) => span.traceId === body.trace_id && span.kind === 2);
    await service.printed(body.request_id);
    const line = service
      .output()
      .split('\n')
      .find((text) => text.includes(body.request_id));
    expect(JSON.parse(line ?? '')).to.include({ trace_id: body.trace_id, span_id: server.spanId });
  });

  it('of a request that its client does not sample give it an id, and no part of it is exported', async () => {
    const traceId = 'ef'.repeat(16);
    const path = '/api/users/00000000-0000-7000-8000-000000000001/';
    expect((await leader('GET', path, undefined, traceOf(traceId, '00'))).body.trace_id).to.equal(traceId);
    const { trace_id: later } = (await leader('GET', path)).body;
    await collector.exportedSpan((span) => span.traceId === later && span.kind === 2);
    expect(collector.spans().filter((span) => span.traceId === traceId)).to.deep.equal([]);
  });

  it('are named by exemplars of the durations, unless they are not exported', async () => {
    const [sampled, unsampled] = ['1a'.repeat(16), '2b'.repeat(16)];
    await leader('GET', '/api/keys/', undefined, traceOf(sampled, '01'));
    await leader('GET', '/api/keys/', undefined, traceOf(unsampled, '00'));
    const response = await fetch(`http://127.0.0.1:${settings['OPS_PORT']}/metrics`);
    expect(response.headers.get('content-type')).to.include('openmetrics');
    const text = await response.text();
    expect(text).to.match(
      new RegExp(`_bucket{le=.*route="none".*} \\d+ # {trace_id="${sampled}"} [\\d.e-]+ [\\d.]+\n`),
    );
    expect(text).not.to.include(unsampled);
    expect(text.split('# EOF\n')).to.have.length(2);
  });

  it('contain no personal data, in any operation', async () => {
    const { url } = service;
    const anyone = clientOf(url);
    const paths: Readonly<Record<string, object>> = (await anyone('GET', '/api/openapi/')).body.paths;
    const login = (await anyone('POST', '/api/auth/login/', { username: PERSONAL, password: PASSWORD })).body;
    await anyone('POST', '/api/auth/login/', { username: PERSONAL, password: 'wrong' });
    for (const [path, body, status] of [
      ['/api/users/', { username: PERSONAL, password: PASSWORD }, 409],
      ['/api/users/', { username: `${PERSONAL}3`, password: PERSONAL, nickname: PERSONAL }, 422],
      [`/api/users/?search=${PERSONAL}`, [PERSONAL], 422],
      [`/api/${PERSONAL}/`, { username: PERSONAL }, 404],
    ] as const) {
      expect((await leader('POST', path, body)).status).to.equal(status);
    }
    expect((await leader('GET', `/api/users/?${PERSONAL}=${PERSONAL}`)).status).to.equal(422);
    const renewed = (await anyone('POST', '/api/auth/tokens/', { refresh_token: login.refresh_token })).body;
    const { token } = (await leader('POST', `/api/users/${id}/password-links/`, {})).body;
    await anyone('POST', '/api/auth/passwords/', { token, password: `${PERSONAL} is a long secret` });
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const access = (await leader('POST', '/api/auth/access-tokens/', { name: PERSONAL, expires_at })).body;
    await clientOf(url, access.token)('GET', `/api/users/?search=${PERSONAL}&email__startswith=${PERSONAL}`);
    await leader('DELETE', `/api/auth/access-tokens/${access.id}`);
    await leader('DELETE', `/api/auth/sessions/${id}`);
    await leader('PATCH', `/api/divisions/${division}`, { name: `${PERSONAL} south` });
    await anyone('DELETE', '/api/auth/tokens/', { refresh_token: renewed.refresh_token });
    const reads = Object.entries(paths).filter(([, operations]) => 'get' in operations);
    for (const [path] of reads) {
      const filled = path.replace('{id}', path.startsWith('/api/users/') ? id : division);
      expect((await leader('GET', filled)).status, path).to.equal(200);
    }
    expect((await leader('DELETE', `/api/users/${id}`)).status).to.equal(204);

    const routes = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    for (const route of routes) await collector.exportedSpan(({ name }) => name === route);
    const text = JSON.stringify(collector.exported).toLowerCase();
    for (const secret of [PERSONAL, PASSWORD, id, division, login.access_token, access.token]) {
      expect(text).not.to.include(String(secret).toLowerCase());
    }
    const keys = new Set(collector.spans().flatMap(({ attributes }) => attributes.map(({ key }) => key)));
    expect([...keys].toSorted().join(' ')).to.equal(
      'chapter.use_case chapter.wait db.operation.name db.system.name error.type http.request.method http.response.status_code http.route',
    );
    const resource = collector.exported[0]?.resourceSpans[0]?.resource.attributes.map(({ key }) => key) ?? [];
    expect(resource.filter((key) => !key.startsWith('telemetry.'))).to.have.members([
      'service.name',
      'service.version',
      'service.instance.id',
      'deployment.environment.name',
    ]);
  });

  it('do not disturb the service if nothing receives them, and the log says so', async () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:1';
    const lonely = await serveInProcess({
      ...settings,
      OTEL_EXPORTER_OTLP_ENDPOINT,
      // Otherwise, the exporter tries again for ten seconds.
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OPS_PORT: 'off',
      NODE_OPTIONS,
      WORKERS: '2',
    });
    expect((await clientOf(lonely.url)('GET', '/api/info/')).status).to.equal(401);
    await lonely.printed('traces cannot be exported');
    expect(await lonely.end()).to.deep.equal({ status: 0, signal: null });
    expect(lonely.output()).to.include(LOADED_SDK);
  });

  // Its API is loaded by the library of the metrics.
  it('load nothing of the SDK of OpenTelemetry without an endpoint', async () => {
    const { OTEL_EXPORTER_OTLP_ENDPOINT: _, ...others } = settings;
    const quiet = await serveInProcess({ ...others, OPS_PORT: 'off', NODE_OPTIONS });
    await clientOf(quiet.url)('GET', '/api/info/');
    await quiet.end();
    expect(quiet.output()).not.to.include(LOADED_SDK);
  });
});
