import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { connectPostgres } from '../packages/adapters-postgres/src/index.ts';
import { systemClock, uuidIds } from '../packages/app/src/system/clock-and-ids.ts';
import { call } from '../packages/app/test/cli/call.ts';
import { codeBlocks } from '../test-support/code-blocks.ts';
import { useTestDatabase } from '../test-support/database.ts';
import { makeFolder } from '../test-support/folders.ts';
import { cannotDump } from '../test-support/postgres/pg-dump.ts';
import { query } from '../test-support/query.ts';
import { skip } from '../test-support/skip.ts';

const blocks = codeBlocks(readFileSync('docs/production.md', 'utf8'), 'sh');
/** The block of shell commands that contains a program. */
const blockWith = (program: string): string => blocks.find((code) => code.includes(program)) ?? 'exit 1';

const TABLES = ['division', 'user_account', 'session', 'audit_entry', 'schema_migration'];

const contents = async (url: string): Promise<Record<string, unknown>> => {
  const rows: Record<string, unknown> = {};
  for (const table of TABLES) rows[table] = await query(url, `select * from ${table} order by 1`);
  return rows;
};

/** Returns the revisions of the division and of its user, of which ETags consist. */
const revisionsOf = async (url: string): Promise<readonly string[]> => {
  const database = connectPostgres({ url, clock: systemClock, ids: uuidIds });
  const [{ id, user } = {}] = await query(url, 'select d.id, u.id as user from division d, user_account u');
  const found = [await database.divisions.find(String(id)), await database.users.find(String(user))];
  await database.close();
  return found.map((one) => `${one?.id} ${one?.revision}`);
};

describe('A backup', () => {
  const original = useTestDatabase();
  const restored = useTestDatabase();
  const folder = makeFolder();

  it('made and restored with the commands of docs/production.md is complete and current, and keeps no links and ETags of the lost time', async function () {
    const reason = await cannotDump(original.url);
    if (reason) skip(this, reason);
    const on = (url: string) => ({ variables: { DATABASE_URL: url, MIGRATE_ON_START: 'true' } });
    await call(['migrate'], on(original.url));
    const created = await call(['divisions', 'create', '--name', 'Nörd "%_"', '--json'], on(original.url));
    const { id } = JSON.parse(created.out) as { id: string };
    const admit = ['users', 'create', '--division', id, '--username', 'ada', '--first-name', 'Ádá', '--link'];
    expect(await call(admit, on(original.url))).to.include({ status: 0 });

    const url = new URL(original.url);
    // libpq knows only the last of these parameters.
    url.search = 'statement_timeout=20000&lock_timeout=5000&sslmode=prefer';
    writeFileSync(join(folder, '.pgpass'), `*:*:*:${url.username}:${url.password}`, { mode: 0o600 });
    writeFileSync(join(folder, 'chapter-restored-url'), restored.url.replace(`:${url.password}@`, '@'));
    url.password = 'not for the arguments of pg_dump';
    writeFileSync(join(folder, 'chapter-owner-url'), url.href);
    const run = (commands: string): void => {
      const here = commands.replaceAll(/\/(?:etc\/cron\.daily|root|var\/backups)\//g, `${folder}/`);
      const program = `export PGPASSFILE='${folder}/.pgpass'; ${here}`;
      const { status, stderr } = spawnSync('sh', ['-e', '-c', program], { encoding: 'utf8' });
      expect(status, stderr).to.equal(0);
    };
    run(blockWith('pg_dump'));
    run(blockWith('pg_restore').replace('DATE.dump', readdirSync(join(folder, 'chapter')).join()));
    expect(await contents(restored.url)).to.deep.equal(await contents(original.url));
    const status = await call(['migrate', '--status', '--json'], { variables: { DATABASE_URL: restored.url } });
    expect(JSON.parse(status.out)).to.deep.include({ state: 'current' });

    // What clients may have kept from the time after the backup.
    expect(await query(restored.url, 'select from password_link')).to.have.lengthOf(1);
    const revisions = new Set(await revisionsOf(original.url));
    expect(await revisionsOf(restored.url)).to.deep.equal([...revisions]);
    for (const restores of [2, 3]) {
      run(blockWith('delete from password_link'));
      for (const revision of await revisionsOf(restored.url)) revisions.add(revision);
      expect(revisions).to.have.property('size', 2 * restores);
    }
    expect(await query(restored.url, 'select from password_link')).to.deep.equal([]);
  });
});
