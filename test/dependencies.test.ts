import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { checkDependencies } from '../test-support/check-dependencies.ts';
import { makeFolder } from '../test-support/folders.ts';

const domain = 'packages/domain/src/index.ts';
const testing = 'packages/domain/src/testing/index.ts';
const http = 'packages/adapters-http/src/index.ts';
const postgres = 'packages/adapters-postgres/src/index.ts';
const pool = 'packages/adapters-postgres/src/connection/pool.ts';
const tables = 'packages/adapters-postgres/src/schema/tables.ts';
const app = 'packages/app/src/index.ts';
const appTest = 'packages/app/test/app.test.ts';
const [toPostgres, toTesting] = ['../../adapters-postgres/src/index.ts', '../../domain/src/testing/index.ts'];

const tree: Record<string, string[]> = {
  [domain]: ['./model/user.ts'],
  'packages/domain/src/model/user.ts': [],
  'packages/domain/src/model/division.ts': [],
  'packages/domain/src/policy/policy.ts': ['../model/user.ts'],
  [testing]: ['../index.ts'],
  [http]: ['../../domain/src/index.ts'],
  [postgres]: ['../../domain/src/index.ts'],
  [pool]: [],
  [tables]: ['../connection/pool.ts'],
  'packages/adapters-postgres/src/users/user-rows.ts': ['../schema/tables.ts'],
  [app]: ['node:fs', '../../adapters-http/src/index.ts', '../../adapters-postgres/src/index.ts'],
  'test-support/client.ts': [],
  'scripts/test.ts': ['../test-support/client.ts'],
  'bench/main.ts': ['../test-support/client.ts'],
  [appTest]: ['../src/index.ts', '../../domain/src/testing/index.ts'],
};

describe('The dependencies between the packages', () => {
  const violations = async (extra: Record<string, string[]>): Promise<string[]> => {
    const root = realpathSync(makeFolder());
    for (const [file, imports] of Object.entries({ ...tree, ...extra })) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), [...imports.map((name) => `import '${name}';`), 'export {};'].join('\n'));
    }
    const result = await checkDependencies(root);
    expect(result.cruised).to.be.at.least(Object.keys(tree).length);
    return result.violations;
  };

  it('accepts imports that point inward', async () => {
    expect(await violations({})).to.deep.equal([]);
  });

  it('rejects an import by the domain of a library in a folder named dist', async () => {
    const library = 'node_modules/library/dist/index.js';
    const found = await violations({ [domain]: [`../../../${library}`], [library]: [] });
    expect(found).to.deep.equal([`domain-is-pure: ${domain} → ${library}`]);
  });

  for (const [title, rule, file, imports] of [
    ['by the domain of Node', 'domain-is-pure', domain, 'node:fs'],
    ['by the domain of a library', 'domain-is-pure', domain, 'koa'],
    ['by the domain of an adapter', 'domain-is-pure', domain, '../../adapters-http/src/index.ts'],
    ['by the HTTP adapter of Koa, except in two files', 'koa-is-replaceable', http, 'koa'],
    ['by an adapter of the other adapter', 'adapters-know-the-domain-only', http, toPostgres],
    ['by an adapter of the app', 'adapters-know-the-domain-only', postgres, '../../app/src/index.ts'],
    ['that bypasses a public surface', 'packages-meet-at-their-public-surface', app, '../../domain/src/model/user.ts'],
    ['by production code of the in-memory adapters', 'in-memory-adapters-are-for-tests', app, toTesting],
    ['by the connection layer of the schema', 'postgres-folders-point-down', pool, '../schema/tables.ts'],
    ['by the schema of a port', 'postgres-folders-point-down', tables, '../users/user-rows.ts'],
    ['by source of tests', 'source-does-not-import-tests', app, '../test/app.test.ts'],
    ['by tests of scripts', 'tests-do-not-import-scripts', appTest, '../../../scripts/test.ts'],
    ['by tests of the bench', 'tests-do-not-import-the-bench', appTest, '../../../bench/main.ts'],
    ['that closes a cycle', 'no-cycles', 'packages/domain/src/model/user.ts', '../index.ts'],
    ['of a file that does not exist', 'everything-resolves', app, './missing.ts'],
  ] as const) {
    it(`rejects an import ${title}`, async () => {
      const found = await violations({ [file]: [...(tree[file] ?? []), imports] });
      expect(found.some((line) => line.startsWith(`${rule}: `) && line.includes(file))).to.equal(
        true,
        found.join('\n'),
      );
    });
  }

  it('rejects a cycle of folders without a cycle of files', async () => {
    const found = await violations({ 'packages/domain/src/model/division.ts': ['../policy/policy.ts'] });
    expect(found.toSorted()).to.deep.equal([
      'no-folder-cycles: packages/domain/src/model → packages/domain/src/policy',
      'no-folder-cycles: packages/domain/src/policy → packages/domain/src/model',
    ]);
  });

  it('rejects a cycle of folders outside the packages', async () => {
    const found = await violations({
      'test-support/lists/rows.ts': ['../postgres/server.ts'],
      'test-support/lists/fill.ts': [],
      'test-support/postgres/server.ts': [],
      'test-support/postgres/load.ts': ['../lists/fill.ts'],
    });
    expect(found.toSorted()).to.deep.equal([
      'no-folder-cycles: test-support/lists → test-support/postgres',
      'no-folder-cycles: test-support/postgres → test-support/lists',
    ]);
  });
});
