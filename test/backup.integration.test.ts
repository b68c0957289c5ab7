import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { call } from '../packages/app/test/cli/call.ts';
import { useTestDatabase } from '../test-support/database.ts';
import { makeFolder } from '../test-support/folders.ts';
import { cannotDump } from '../test-support/postgres/pg-dump.ts';
import { query } from '../test-support/query.ts';
import { skip } from '../test-support/skip.ts';

const document = readFileSync('docs/production.md', 'utf8');
/** The block of shell commands that contains a program. */
const blockWith = (program: string): string =>
  [...document.matchAll(/```sh\n([^]*?)```/g)].map(([, code = '']) => code).find((code) => code.includes(program)) ??
  'exit 1';

const TABLES = ['division', 'user_account', 'session', 'audit_entry', 'schema_migration'];

const contents = async (url: string): Promise<Record<string, unknown>> => {
  const rows: Record<string, unknown> = {};
  for (const table of TABLES) rows[table] = await query(url, `select * from ${table} order by 1`);
  return rows;
};

describe('A backup', () => {
  const original = useTestDatabase();
  const restored = useTestDatabase();
  const folder = makeFolder();

  it('made and restored with the commands of docs/production.md is complete and has a current schema', async function () {
    const reason = await cannotDump(original.url);
    if (reason) skip(this, reason);
    const on = (url: string) => ({ variables: { DATABASE_URL: url, MIGRATE_ON_START: 'true' } });
    await call(['migrate'], on(original.url));
    const created = await call(['divisions', 'create', '--name', 'Nörd "%_"', '--json'], on(original.url));
    const { id } = JSON.parse(created.out) as { id: string };
    const admit = ['users', 'create', '--division', id, '--username', 'ada', '--first-name', 'Ádá', '--password-stdin'];
    expect(await call(admit, { ...on(original.url), input: 'a long enough secret' })).to.include({ status: 0 });

    const url = new URL(original.url);
    // libpq knows only the last of these parameters.
    url.search = 'statement_timeout=20000&lock_timeout=5000&sslmode=prefer';
    writeFileSync(join(folder, 'chapter-owner-url'), url.href);
    writeFileSync(join(folder, 'chapter-restored-url'), restored.url);
    const run = (commands: string): void => {
      const here = commands.replaceAll(/\/(?:etc\/cron\.daily|root|var\/backups)\//g, `${folder}/`);
      const { status, stderr } = spawnSync('sh', ['-e', '-c', here], { encoding: 'utf8' });
      expect(status, stderr).to.equal(0);
    };
    run(blockWith('pg_dump'));
    const [dump = 'none'] = readdirSync(join(folder, 'chapter'));
    run(blockWith('pg_restore').replace('DATE.dump', dump));
    expect(await contents(restored.url)).to.deep.equal(await contents(original.url));
    const status = await call(['migrate', '--status', '--json'], { variables: { DATABASE_URL: restored.url } });
    expect(JSON.parse(status.out)).to.deep.include({ state: 'current' });
  });
});
