import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import openapiTS, { astToString } from 'openapi-typescript';
import { execute } from '../../../../test-support/processes.ts';
import { makeServedChapter } from '../support/chapter.ts';
import { document } from '../support/documented.ts';

// The program of a client developer. The compiler must reject each wrong line.
const CLIENT = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.d.ts';

export const drive = async (baseUrl: string): Promise<unknown[]> => {
  // Lists are also available as CSV.
  const client = createClient<paths, \`application/\${string}\`>({ baseUrl });
  const login = await client.POST('/api/auth/login/', { body: { username: 'leader', password: 'leader-secret' } });
  if (!login.data) throw new Error(login.error.code);
  const headers = { Authorization: \`Bearer \${login.data.access_token}\` };
  const created = await client.POST('/api/users/', {
    headers,
    params: { header: { 'Idempotency-Key': 'k1' } },
    body: { username: 'ada', password: 'correct horse battery', birthdate: null, groups: ['Guest'] },
  });
  if (!created.data) throw new Error(created.error.code);
  const id: string = created.data.id;
  const etag = created.response.headers.get('ETag') ?? '';
  const changed = await client.PATCH('/api/users/{id}', {
    headers,
    params: { path: { id }, header: { 'If-Match': etag } },
    body: { last_name: 'Lovelace' },
  });
  const list = await client.GET('/api/users/', {
    headers,
    params: { query: { groups__in: ['Guest', 'Leader'], ordering: ['-groups', 'username'], page_size: 10, count: true } },
  });
  const refused = await client.GET('/api/users/', { headers, params: { query: { email__isnull: true, cursor: 'x' } } });
  const gone = await client.DELETE('/api/users/{id}', { headers, params: { path: { id } } });
  // @ts-expect-error a value that is not a name
  await client.PATCH('/api/users/{id}', { headers, params: { path: { id } }, body: { last_name: 7 } });
  // @ts-expect-error an unknown parameter
  await client.GET('/api/users/', { headers, params: { query: { password: 'x' } } });
  return [
    changed.data?.last_name,
    list.data?.results.map(({ username }) => username),
    list.data?.count,
    refused.error?.code,
    refused.error?.errors?.[0]?.code,
    gone.response.status,
  ];
};
`;

const TSCONFIG = {
  extends: resolve('tsconfig.base.json'),
  compilerOptions: { lib: ['esnext', 'dom'] },
  include: ['.'],
};

describe('A client generated from the OpenAPI document', () => {
  it('compiles and uses the service', async () => {
    // Inside the project, so that its imports resolve.
    const cache = resolve('node_modules/.cache');
    await mkdir(cache, { recursive: true });
    const folder = await mkdtemp(join(cache, 'client-'));
    await using chapter = await makeServedChapter();
    try {
      const schema = astToString(await openapiTS(JSON.stringify(document)));
      await writeFile(join(folder, 'schema.d.ts'), schema);
      await writeFile(join(folder, 'client.mts'), CLIENT);
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
      await execute('tsc', ['-p', folder, '--singleThreaded']).catch(({ stdout }: { stdout: string }) =>
        expect.fail(stdout),
      );
      const { drive } = (await import(pathToFileURL(join(folder, 'client.mjs')).href)) as {
        drive: (baseUrl: string) => Promise<unknown[]>;
      };
      expect(await drive(`http://127.0.0.1:${chapter.port}`)).to.deep.equal([
        'Lovelace',
        ['ada', 'guest', 'leader'],
        3,
        'validation_failed',
        'invalid_cursor',
        204,
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
