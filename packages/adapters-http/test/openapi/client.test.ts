import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import { expect } from 'chai';
import openapiTS, { astToString } from 'openapi-typescript';
import { execute } from '../../../../test-support/processes.ts';
import { makeServedChapter } from '../support/chapter.ts';
import { document } from '../support/documented.ts';

// The programs of two client developers, who configure nothing. The compiler must reject each wrong line.
const OPENAPI_FETCH = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.d.ts';

export const drive = async (baseUrl: string): Promise<unknown[]> => {
  const client = createClient<paths>({ baseUrl });
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
  const csv = await client.GET('/api/users/', { headers: { ...headers, Accept: 'text/csv' }, parseAs: 'text' });
  const refused = await client.GET('/api/users/', { headers, params: { query: { email__isnull: true, cursor: 'x' } } });
  const gone = await client.DELETE('/api/users/{id}', { headers, params: { path: { id } } });
  // @ts-expect-error a value that is not a name
  await client.PATCH('/api/users/{id}', { headers, params: { path: { id } }, body: { last_name: 7 } });
  // @ts-expect-error an unknown parameter
  await client.GET('/api/users/', { headers, params: { query: { password: 'x' } } });
  return [
    changed.data?.last_name,
    list.data?.results[0]?.username,
    list.data?.results.map(({ username }) => username),
    list.data?.count,
    csv.data?.slice(0, 11),
    refused.error?.code,
    refused.error?.errors?.[0]?.code,
    gone.response.status,
  ];
};
`;

const HEY_API = `
import { client } from './hey-api/client.gen.ts';
import { listDivisionUsers, listUsers, logIn } from './hey-api/sdk.gen.ts';

export const drive = async (baseUrl: string): Promise<unknown[]> => {
  client.setConfig({ baseUrl });
  const login = await logIn({ body: { username: 'leader', password: 'leader-secret' } });
  if (!login.data) throw new Error(login.error.code);
  client.setConfig({ auth: login.data.access_token });
  const list = await listUsers({ query: { groups__in: ['Guest', 'Leader'], ordering: ['-groups', 'username'] } });
  const division = list.data?.results[0]?.division.id ?? '';
  const names = await listDivisionUsers({ path: { id: division }, query: { ordering: ['-username', 'id'], search: 'er' } });
  const refused = await listUsers({ query: { cursor: 'x' } });
  // @ts-expect-error an unknown order
  await listUsers({ query: { ordering: ['password'] } });
  // @ts-expect-error a field that the item does not have
  list.data?.results[0]?.password;
  return [
    list.data?.results[0]?.username,
    list.data?.results.map(({ groups }) => groups),
    names.data?.results.map(({ username }) => username),
    refused.error?.errors?.[0]?.code,
  ];
};
`;

const TSCONFIG = {
  extends: resolve('tsconfig.base.json'),
  // The client that hey-api generates does not compile with exactOptionalPropertyTypes, which `strict` does not include.
  compilerOptions: { lib: ['esnext', 'dom'], exactOptionalPropertyTypes: false },
  include: ['.'],
};

describe('Clients generated from the OpenAPI document without any options', () => {
  it('compile, and list, order and filter', async () => {
    // Inside the project, so that its imports resolve.
    const cache = resolve('node_modules/.cache');
    await mkdir(cache, { recursive: true });
    const folder = await mkdtemp(join(cache, 'client-'));
    await using chapter = await makeServedChapter();
    const driveWith = async (file: string) => {
      const module = (await import(pathToFileURL(join(folder, file)).href)) as {
        drive: (baseUrl: string) => Promise<unknown[]>;
      };
      return module.drive(`http://127.0.0.1:${chapter.port}`);
    };
    try {
      await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
      await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
      await writeFile(join(folder, 'schema.d.ts'), astToString(await openapiTS(JSON.stringify(document))));
      await createClient({
        input: join(folder, 'openapi.json'),
        output: join(folder, 'hey-api'),
        logs: { level: 'silent' },
      });
      await writeFile(join(folder, 'openapi-fetch.ts'), OPENAPI_FETCH);
      await writeFile(join(folder, 'hey-api.ts'), HEY_API);
      await execute('tsc', ['-p', folder, '--singleThreaded']).catch(({ stdout }: { stdout: string }) =>
        expect.fail(stdout),
      );
      expect(await driveWith('openapi-fetch.js')).to.deep.equal([
        'Lovelace',
        'ada',
        ['ada', 'guest', 'leader'],
        3,
        'id,username',
        'validation_failed',
        'invalid_cursor',
        204,
      ]);
      expect(await driveWith('hey-api.js')).to.deep.equal([
        'guest',
        [['Guest'], ['Leader']],
        ['user', 'leader'],
        'invalid_cursor',
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
