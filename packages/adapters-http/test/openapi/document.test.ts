import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeUseCases, operatorActions, type Ports, policy, publicActions } from '@chapter/domain/api';
import { expect } from 'chai';
import { atLeast } from '../../../../test-support/counts.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { execute } from '../../../../test-support/processes.ts';
import { Division } from '../../src/schemas/division.ts';
import { exampleOf } from '../../src/schemas/fields.ts';
import { OwnSessionList } from '../../src/schemas/session.ts';
import { User } from '../../src/schemas/user.ts';
import { compile, document, documentOf, type Parameter } from '../support/documented.ts';

const operations = atLeast(
  15,
  Object.values(document.paths).flatMap((path) => Object.values(path)),
);
const named = (operations: readonly { operationId: string }[]) =>
  operations.map(({ operationId }) => operationId).toSorted();

describe('The OpenAPI document', () => {
  it('has an operation with a token for every row of the policy that allows users, and one for every public action', () => {
    expect(named(operations.filter(({ security }) => security === undefined))).to.deep.equal(
      Object.keys(policy)
        .filter((action) => !operatorActions.includes(action))
        .toSorted(),
    );
    expect(named(operations.filter(({ security }) => security?.length === 0))).to.deep.equal(
      [...publicActions].toSorted(),
    );
  });

  it('has an operation for every use case, except those of the operator alone', () => {
    const all = [...named(operations), ...operatorActions];
    expect(all.toSorted()).to.deep.equal(Object.keys(makeUseCases({} as Ports)).toSorted());
  });

  it('has valid examples, and one response to requests that are refused before their operation is found', () => {
    const problem = compile({ $ref: '#/components/schemas/Problem' });
    for (const { value } of Object.values(document.components.examples))
      expect(problem.Errors(value)).to.deep.equal([]);
    for (const { requestBody, responses, operationId } of operations) {
      expect(responses['default'], operationId).to.deep.equal({ $ref: '#/components/responses/Rejected' });
      const contents = [
        ...Object.values(requestBody?.content ?? {}),
        ...Object.values(responses['200']?.content ?? {}),
      ];
      for (const { schema, example } of contents as { schema: object; example: unknown }[]) {
        expect(compile(schema).Errors(example), operationId).to.deep.equal([]);
      }
    }
  });

  /** Returns the names of the parameters of an operation in order. */
  const parametersOf = (path: string, method: string): string[] =>
    (document.paths[path]?.[method]?.parameters ?? []).map(
      (parameter) => (document.components.parameters[parameter.$ref?.split('/').at(-1) ?? ''] ?? parameter).name,
    );

  it('lists search, order and page first, then filters field by field, and the request id last', () => {
    const names = parametersOf('/api/users/', 'get');
    expect(names.slice(0, 5)).to.deep.equal(['search', 'ordering', 'page_size', 'cursor', 'count']);
    expect(names.at(-1)).to.equal('X-Request-Id');
    const fields = names.slice(5, -1).map((name) => name.split('__')[0]);
    const runs = fields.filter((field, at) => field !== fields[at - 1]);
    expect(runs).to.have.length(new Set(fields).size).and.to.be.greaterThan(5);
    expect(parametersOf('/api/users/{id}', 'patch')).to.deep.equal(['id', 'If-Match', 'X-Request-Id']);
    for (const { operationId, parameters } of operations) {
      expect(parameters.at(-1)?.$ref, operationId).to.equal('#/components/parameters/XRequestId');
    }
  });

  it('describes each parameter in at most 120 characters', () => {
    for (const { operationId, parameters } of operations) {
      for (const parameter of parameters) {
        const { description, name } = parameter.$ref
          ? (document.components.parameters[parameter.$ref.split('/').at(-1) ?? ''] as Parameter)
          : parameter;
        expect(description, `${operationId} ${name}`).to.have.length.within(1, 120);
      }
    }
  });

  it('describes the lists as CSV: their header, and the parameters that they do not have', () => {
    const withCsv = operations.filter(({ responses }) => responses['200']?.['x-content']?.['text/csv']);
    expect(named(withCsv)).to.deep.equal(['listDivisionUsers', 'listDivisions', 'listUsers']);
    const disposition = { $ref: '#/components/headers/Content-Disposition' };
    for (const operation of operations) {
      const isCsv = withCsv.includes(operation);
      const { headers } = operation.responses['200'] ?? {};
      expect(headers?.['Content-Disposition'], operation.operationId).to.deep.equal(isCsv ? disposition : undefined);
      const ending = (note: string) =>
        operation.parameters.filter(({ description }) => description?.endsWith(note)).map(({ name }) => name);
      expect(ending(' Not for CSV.'), operation.operationId).to.deep.equal(
        isCsv ? ['page_size', 'cursor', 'count'] : [],
      );
      expect(ending(' Only for CSV.'), operation.operationId).to.deep.equal(isCsv ? ['spreadsheet'] : []);
    }
    // A response as JSON does not have the header.
    expect(document.components.headers['Content-Disposition']).to.not.have.property('required');
  });

  it('names the URL at which clients reach the service', () => {
    expect(document.servers).to.deep.equal([{ url: 'https://members.example.org' }]);
  });

  it('describes each tag in one line', () => {
    const used = new Set(operations.flatMap(({ tags }) => tags));
    expect(document.tags.map(({ name }) => name)).to.have.members([...used]);
    for (const { description } of document.tags) expect(description).to.match(/^[^\n]{10,80}\.$/);
  });

  it('names demo accounts and logs in as the first, if there are any', () => {
    const demo = { usernames: ['leader', 'guest'], password: 'chapter-demo' };
    const withDemo = documentOf({ demo });
    const loginOf = ({ paths }: typeof document) =>
      paths['/api/auth/login/']?.['post']?.requestBody?.content['application/json']?.example;
    expect(loginOf(withDemo)).to.deep.equal({ username: 'leader', password: 'chapter-demo' });
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(withDemo.info.version).to.equal(version);
    expect(withDemo.info.description).to.contain('`leader`, `guest`; the password is `chapter-demo`');
    expect(loginOf(document)).to.deep.equal({ username: 'ada', password: 'correct horse battery' });
    expect(JSON.stringify(document)).not.to.contain('chapter-demo');
  });

  it('has the same example id in each path and its responses', () => {
    const { UserId, DivisionId, SessionId } = document.components.parameters;
    const examples = [UserId, DivisionId, SessionId].map((parameter) => parameter?.example);
    expect(examples).to.deep.equal(
      [User, Division, OwnSessionList.items].map(({ properties }) => exampleOf(properties.id)),
    );
    const references = (pattern: RegExp) =>
      new Set(
        Object.entries(document.paths)
          .filter(([path]) => pattern.test(path))
          .flatMap(([, methods]) => Object.values(methods).map(({ parameters }) => parameters[0]?.$ref)),
      );
    expect([...references(/^\/api\/users\/\{id\}/)]).to.deep.equal(['#/components/parameters/UserId']);
    expect([...references(/^\/api\/divisions?\/\{id\}/)]).to.deep.equal(['#/components/parameters/DivisionId']);
    expect([...references(/^\/api\/auth\/sessions\/\{id\}/)]).to.deep.equal(['#/components/parameters/SessionId']);
    const [, ...others] = references(/\{id\}/);
    expect(others).to.have.length(3);
  });

  it('says which operation returns the id of a session, because the example is the id of none', () => {
    expect(document.components.parameters['SessionId']?.description).to.contain('`GET /api/auth/sessions/`');
  });

  it('has valid examples on every property of every schema', () => {
    const seen: string[] = [];
    const visit = (value: unknown, place: string): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, property] of Object.entries((value as { properties?: object }).properties ?? {})) {
        const at = `${place}.${name}`;
        seen.push(at);
        expect(property.examples, at).to.be.an('array').that.is.not.empty;
        for (const example of property.examples) expect(compile(property).Errors(example), at).to.deep.equal([]);
      }
      for (const [key, inner] of Object.entries(value)) if (!/^examples?$/.test(key)) visit(inner, `${place}/${key}`);
    };
    visit(document, '');
    const list = '/paths//api/users//get/responses';
    expect(seen).to.include.members([
      '/components/schemas/User.id',
      '/components/schemas/User.division',
      '/components/schemas/FieldFault.code',
      '/components/schemas/OwnSessionList/items.current',
      `${list}/200/content/application/json/schema.results`,
      `${list}/422/content/application/problem+json/schema/allOf/1.status`,
      `${list}/422/content/application/problem+json/schema/allOf/1.code`,
    ]);
  });

  it('passes a linter', async () => {
    const folder = makeFolder();
    const file = join(folder, 'openapi.json');
    await writeFile(file, JSON.stringify(document));
    const config = resolve(import.meta.dirname, '../../redocly.yaml');
    const lint = execute('redocly', ['lint', file, '--config', config], {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    const { stderr } = await lint.catch((error: { stdout: string; stderr: string }) =>
      expect.fail(error.stdout + error.stderr),
    );
    expect(stderr).to.include('is valid');
  });
});
