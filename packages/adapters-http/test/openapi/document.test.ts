import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeUseCases, type Ports, policy, publicActions } from '@chapter/domain';
import { expect } from 'chai';
import { execute } from '../../../../test-support/processes.ts';
import { compile, document } from '../support/documented.ts';

const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
const named = (operations: readonly { operationId: string }[]) =>
  operations.map(({ operationId }) => operationId).toSorted();

describe('The OpenAPI document', () => {
  it('has an operation for every row of the policy, which needs a token, and for every public action', () => {
    expect(named(operations.filter(({ security }) => security === undefined))).to.deep.equal(
      Object.keys(policy).toSorted(),
    );
    expect(named(operations.filter(({ security }) => security?.length === 0))).to.deep.equal(
      [...publicActions].toSorted(),
    );
  });

  it('has an operation for every use case', () => {
    expect(named(operations)).to.deep.equal(Object.keys(makeUseCases({} as Ports)).toSorted());
  });

  it('has the paths of the specification and the contract as written', () => {
    expect(
      Object.entries(document.paths).map(([path, methods]) => `${Object.keys(methods).join(' ')} ${path}`),
    ).to.deep.equal([
      'post /api/auth/login/',
      'post delete /api/auth/tokens/',
      'get /api/auth/sessions/',
      'delete /api/auth/sessions/{id}',
      'post /api/auth/passwords/',
      'get /api/auth/keys/',
      'get /api/auth/groups/',
      'get post /api/users/',
      'get /api/users/{id}/',
      'patch delete /api/users/{id}',
      'post /api/users/{id}/password-links/',
      'get /api/divisions/',
      'get /api/divisions/{id}/',
      'patch /api/divisions/{id}',
      'get /api/division/{id}/users/',
      'get /api/info/',
    ]);
  });

  it('shows examples that are what they are examples of', () => {
    const problem = compile({ $ref: '#/components/schemas/Problem' });
    for (const { value } of Object.values(document.components.examples))
      expect(problem.Errors(value)).to.deep.equal([]);
    for (const { requestBody, responses, operationId } of operations) {
      const contents = [
        ...Object.values(requestBody?.content ?? {}),
        ...Object.values(responses['200']?.content ?? {}),
      ];
      for (const { schema, example } of contents as { schema: object; example: unknown }[]) {
        expect(compile(schema).Errors(example), operationId).to.deep.equal([]);
      }
    }
  });

  it('passes a linter', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'openapi-'));
    const file = join(folder, 'openapi.json');
    await writeFile(file, JSON.stringify(document));
    const config = resolve(import.meta.dirname, '../../redocly.yaml');
    const lint = execute('redocly', ['lint', file, '--config', config], {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    const { stderr } = await lint.catch((error: { stdout: string; stderr: string }) =>
      expect.fail(error.stdout + error.stderr),
    );
    await rm(folder, { recursive: true });
    expect(stderr).to.include('is valid');
  });
});
