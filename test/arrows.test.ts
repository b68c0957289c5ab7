import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { arrows } from '../scripts/check-arrows.ts';

const domain = 'packages/domain/src/index.ts';
const testing = 'packages/domain/src/testing/index.ts';
const http = 'packages/adapters-http/src/index.ts';
const postgres = 'packages/adapters-postgres/src/index.ts';
const pool = 'packages/adapters-postgres/src/connection/pool.ts';
const tables = 'packages/adapters-postgres/src/schema/tables.ts';
const app = 'packages/app/src/index.ts';

const tree: Record<string, string[]> = {
  [domain]: ['./model/user.ts'],
  'packages/domain/src/model/user.ts': [],
  'packages/domain/src/model/group.ts': [],
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
  'packages/app/test/app.test.ts': ['../src/index.ts', '../../domain/src/testing/index.ts'],
};

describe('The arrows between the packages', () => {
  let root: string;
  const violations = async (extra: Record<string, string[]>): Promise<string[]> => {
    for (const [file, imports] of Object.entries({ ...tree, ...extra })) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), [...imports.map((name) => `import '${name}';`), 'export {};'].join('\n'));
    }
    const result = await arrows(root);
    expect(result.cruised).to.be.at.least(Object.keys(tree).length);
    return result.violations;
  };

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'arrows-')));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('may point inward', async () => {
    expect(await violations({})).to.deep.equal([]);
  });

  it('may not point the domain to a library that is in a folder named dist', async () => {
    const library = 'node_modules/library/dist/index.js';
    const found = await violations({ [domain]: [`../../../${library}`], [library]: [] });
    expect(found).to.deep.equal([`domain-is-pure: ${domain} → ${library}`]);
  });

  for (const [title, rule, file, imports] of [
    ['the domain to Node', 'domain-is-pure', domain, 'node:fs'],
    ['the domain to a library', 'domain-is-pure', domain, 'koa'],
    ['the domain to an adapter', 'domain-is-pure', domain, '../../adapters-http/src/index.ts'],
    ['the HTTP adapter to Koa, but for two files', 'koa-is-replaceable', http, 'koa'],
    ['an adapter to the other', 'adapters-know-the-domain-only', http, '../../adapters-postgres/src/index.ts'],
    ['an adapter to the app', 'adapters-know-the-domain-only', postgres, '../../app/src/index.ts'],
    ['past a public surface', 'packages-meet-at-their-public-surface', app, '../../domain/src/model/user.ts'],
    [
      'from production to the in-memory adapters',
      'in-memory-adapters-are-for-tests',
      app,
      '../../domain/src/testing/index.ts',
    ],
    ['from the connection layer to the schema', 'postgres-folders-point-down', pool, '../schema/tables.ts'],
    ['from the schema to a port', 'postgres-folders-point-down', tables, '../users/user-rows.ts'],
    ['from source to tests', 'source-does-not-import-tests', app, '../test/app.test.ts'],
    [
      'from test-support to scripts',
      'test-support-does-not-import-scripts',
      'test-support/client.ts',
      '../scripts/test.ts',
    ],
    [
      'from tests to the bench',
      'tests-do-not-import-the-bench',
      'packages/app/test/app.test.ts',
      '../../../bench/main.ts',
    ],
    ['round in a circle', 'no-cycles', 'packages/domain/src/model/user.ts', '../index.ts'],
    ['to nothing', 'everything-resolves', app, './missing.ts'],
  ] as const) {
    it(`may not point ${title}`, async () => {
      const found = await violations({ [file]: [...(tree[file] ?? []), imports] });
      expect(found.some((line) => line.startsWith(`${rule}: `) && line.includes(file))).to.equal(
        true,
        found.join('\n'),
      );
    });
  }

  it('may not point round in a circle of folders, though no file is in a circle', async () => {
    const found = await violations({ 'packages/domain/src/model/group.ts': ['../policy/policy.ts'] });
    expect(found.toSorted()).to.deep.equal([
      'no-folder-cycles: packages/domain/src/model → packages/domain/src/policy',
      'no-folder-cycles: packages/domain/src/policy → packages/domain/src/model',
    ]);
  });
});
