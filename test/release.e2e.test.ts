import { randomInt, randomUUID } from 'node:crypto';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { connectPostgres } from '../packages/adapters-postgres/src/index.ts';
import { loadMigrations } from '../packages/adapters-postgres/src/schema/migrations/index.ts';
import { DEMO_IDS, DEMO_PASSWORD as PASSWORD } from '../packages/app/src/database/demo-data.ts';
import { logIn } from '../test-support/client.ts';
import { makeListComparison } from '../test-support/compare-lists.ts';
import { useTestDatabase } from '../test-support/database.ts';
import { prepareDemo } from '../test-support/demo-database.ts';
import { makeFolder } from '../test-support/folders.ts';
import { fillAtRandom } from '../test-support/lists/random-database.ts';
import { reportCount } from '../test-support/proof/report.ts';
import { runs } from '../test-support/properties.ts';
import { query } from '../test-support/query.ts';
import { installReleaseOrSkip } from '../test-support/release.ts';
import { type ServiceProcess, serveInProcess } from '../test-support/service-process.ts';

/**
 * Maximum number of members: more than are scanned before an inverted index is searched. They are stored from 2,400 runs on. The
 * 200 runs of `npm test` store 1,000 members, which need no inverted index.
 */
const MAX_MEMBERS = 12_000;
const MEMBERS_PER_QUERY = 5;
const TIMEOUT_PER_QUERY_MS = 2000;

/** The parts of a MikroORM migration that these tests use. It may extend another copy of the library. */
interface Migration {
  up(): Promise<void> | void;
  down(): Promise<void> | void;
  reset(): void;
  getQueries(): readonly unknown[];
}

/** Where the package of the database has the migrations, in each release. */
const RELEASED_MIGRATIONS = { '0.1.0': 'migrations', '0.2.0': 'schema/migrations' };

type Listed = readonly { readonly name: string; readonly class: new (...args: never) => Migration }[];

/** How a release exports its migrations. */
interface ReleasedModule {
  readonly migrationsList?: Listed;
  readonly loadMigrations: () => Promise<Listed>;
}

/** Returns the SQL of each migration, up and down, by name. */
const statementsOf = async (list: Listed): Promise<Readonly<Record<string, unknown>>> => {
  const statements: Record<string, unknown> = {};
  for (const { name, class: type } of list) {
    const migration = Reflect.construct(type, []) as Migration;
    await migration.up();
    const up = [...migration.getQueries()];
    migration.reset();
    await migration.down();
    statements[name] = { up, down: [...migration.getQueries()] };
  }
  return statements;
};

describe('The migrations of', () => {
  for (const [version, path] of Object.entries(RELEASED_MIGRATIONS)) {
    it(`release ${version} are run first and unchanged by this version`, async function () {
      const release = installReleaseOrSkip(this, version);
      const file = pathToFileURL(join(release, 'packages/adapters-postgres/src', path, 'index.ts')).href;
      const { migrationsList, loadMigrations: load } = (await import(file)) as ReleasedModule;
      const released = migrationsList ?? (await load());
      expect(released.length).to.be.greaterThan(0);
      const present = (await loadMigrations()).slice(0, released.length);
      expect(present.map(({ name }) => name)).to.deep.equal(released.map(({ name }) => name));
      expect(await statementsOf(released)).to.deep.equal(await statementsOf(present));
    });
  }
});

describe('Release 0.1.0', () => {
  const database = useTestDatabase(prepareDemo);
  const dataDir = makeFolder();
  let release = '';
  let services: readonly ServiceProcess[] = [];

  before('install it, and start it and this version on the newest schema', async function () {
    release = installReleaseOrSkip(this, '0.1.0');
    // Comparing ten thousand queries takes longer than the default lifetime of a token.
    const settings = { DATABASE_URL: database.url, DATA_DIR: dataDir, ACCESS_TOKEN_TTL: '86400' };
    const present = await serveInProcess(settings);
    services = [present];
    const main = relative(process.cwd(), join(release, 'packages/app/src/main.ts'));
    services = [present, await serveInProcess({ ...settings, MIGRATE_ON_START: 'false' }, main)];
  });

  after(() => Promise.all(services.map(({ end }) => end())));

  it('serves on the newest schema at the same time as this version, whose feed has the changes of both', async () => {
    const [present = '', earlier = ''] = services.map(({ url }) => url);
    const reader = await logIn(present, 'leader', PASSWORD);
    const { after } = (await reader('GET', '/api/changes/?page_size=1')).body;
    for (const [writer, other] of [
      [earlier, present],
      [present, earlier],
    ] as const) {
      const leader = await logIn(writer, 'leader', PASSWORD);
      const guest = await logIn(other, 'guest', PASSWORD);
      const names = async (): Promise<readonly string[]> =>
        (await guest('GET', '/api/users/?search=grace&ordering=-username')).body.results.map(
          ({ last_name }: { last_name: string }) => last_name,
        );
      const created = await leader('POST', '/api/users/', { username: 'grace', password: 'compiles at night' });
      expect(created.status).to.equal(201);
      await logIn(other, 'grace', 'compiles at night');
      const path = `/api/users/${created.body.id}`;
      const changed = await leader('PATCH', path, { last_name: 'Hopper', password: 'compiles by day' });
      expect(changed.status).to.equal(200);
      expect(await names()).to.deep.equal(['Hopper']);
      const grace = await logIn(other, 'grace', 'compiles by day');
      expect((await grace('GET', '/api/info/')).status).to.equal(200);
      expect((await leader('DELETE', path)).status).to.equal(204);
      expect(await names()).to.deep.equal([]);
      expect((await grace('GET', '/api/info/')).status).to.equal(401);
    }
    let results: { action: string }[] = [];
    // Other transactions of the server, such as those of maintenance, may delay the feed for a moment.
    for (let tries = 0; tries < 100 && results.length < 6; tries += 1) {
      ({ results } = (await reader('GET', `/api/changes/?after=${after}`)).body);
    }
    const ofOne = ['createUser', 'updateUser', 'deleteUser'];
    expect(results.map(({ action }) => action)).to.deep.equal([...ofOne, ...ofOne]);
  });

  it('accepts sessions of this version, which accepts its sessions', async () => {
    const [present = '', earlier = ''] = services.map(({ url }) => url);
    const post = async (url: string, path: string, body: unknown) => {
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, body: (await response.json()) as { refresh_token: string } };
    };
    for (const [first, second] of [
      [earlier, present],
      [present, earlier],
    ] as const) {
      const begun = await post(first, '/api/auth/login/', { username: 'user', password: PASSWORD });
      const { refresh_token } = begun.body;
      const continued = await post(second, '/api/auth/tokens/', { refresh_token });
      expect(continued.status).to.equal(200);
      const again = await post(first, '/api/auth/tokens/', { refresh_token: continued.body.refresh_token });
      expect(again.status).to.equal(200);
    }
  });

  const options = runs(200);
  it('returns the same pages of random lists as this version, and each accepts the cursors of the other', async () => {
    const { numRuns, seed = randomInt(2 ** 31) } = options;
    const postgres = connectPostgres({
      url: database.url,
      clock: { now: () => new Date().toISOString() },
      ids: { next: () => randomUUID() },
    });
    const own = { id: DEMO_IDS.divisions.North, name: 'North' };
    const members = Math.min(MAX_MEMBERS, MEMBERS_PER_QUERY * numRuns);
    const requests = await fillAtRandom(postgres, { own, members, seed });
    await postgres.close();
    await query(database.url, `update user_account set is_superuser = true where username = 'leader'`);

    const [present, earlier] = await Promise.all(services.map(({ url }) => logIn(url, 'leader', PASSWORD)));
    if (!present || !earlier) throw new Error('two services must run');
    const { compare, compared } = makeListComparison(present, earlier);
    await fc.assert(fc.asyncProperty(requests, compare), { ...options, seed });
    const { queries, pages, filledPages, refusals } = compared();
    const contents = `on ${pages} pages, ${filledPages} of them with rows, of ${members} members; ${refusals} refused by both`;
    const atLeast = options.path === undefined ? numRuns : 1;
    reportCount(queries, `random list queries compared with release 0.1.0, ${contents}`, atLeast);
    // No query is excluded, but refused queries compare no rows. A replay of one example has no such shares.
    if (options.path === undefined) {
      expect(refusals).to.be.below(queries / 10);
      expect(filledPages).to.be.above(queries);
    }
  }).timeout(options.numRuns * TIMEOUT_PER_QUERY_MS);
});
