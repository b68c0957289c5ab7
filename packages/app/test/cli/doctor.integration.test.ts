import { chmodSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { freePort } from '../../../../test-support/free-port.ts';
import { prepareMigrated, servingUrlOf } from '../../../../test-support/migrated-database.ts';
import { query } from '../../../../test-support/query.ts';
import { ensureKeyFile } from '../../src/tokens/key-file.ts';
import { generateKey, keySetText } from '../../src/tokens/key-set.ts';
import { call } from './call.ts';

type Finding = Readonly<Record<'check' | 'problem' | 'action', string>>;

describe('chapter doctor', () => {
  const database = useTestDatabase(prepareMigrated, { each: true });
  let settings: Record<string, string>;
  let keys: string;

  beforeEach(async () => {
    keys = join(makeFolder(), 'keys.json');
    ensureKeyFile(keys);
    settings = {
      CHAPTER_ENV: 'PROD',
      DATABASE_URL: await servingUrlOf(database.url),
      OWNER_DATABASE_URL: database.url,
      JWT_KEYS_FILE: keys,
      CORS_ORIGINS: 'https://members.example',
      PUBLIC_URL: 'https://members.example',
      SCRYPT_LOG_N: '',
      SCRYPT_P: '',
    };
  });

  const doctor = (...args: string[]) => call(['doctor', ...args], { variables: settings });
  const COUNTS = ['No findings.\n', '1 finding.\n', '2 findings.\n', '3 findings.\n', '4 findings.\n'];
  /** Returns the findings but one: the tests' server may be a container, which has another address and no TLS. */
  const find = async (): Promise<readonly Finding[]> => {
    const { err, out, status } = await doctor('--json');
    const found = JSON.parse(out) as Finding[];
    expect([status, err], out).to.deep.equal([found.length === 0 ? 0 : 1, COUNTS[found.length]]);
    return found.filter(({ action }) => action !== 'Add sslmode=require.');
  };
  const set = (name: string, value: string): void => {
    settings[name] = value;
  };
  const connectTo = (url: string) => () => set('DATABASE_URL', url);
  const run = (sql: string) =>
    query(database.url, sql.replace('ROLE', new URL(settings['DATABASE_URL'] ?? '').username));
  const unreachable = async () => `postgresql://a:secret@127.0.0.1:${await freePort()}/none`;
  const oldKeys = keySetText([generateKey('EdDSA'), { ...generateKey('EdDSA'), retired_at: 1 }]);
  const lastYear = Date.now() / 1000 - 366 * 86_400;

  it('finds nothing wrong with a service that is set up as documented, with two roles or one', async () => {
    expect(await find()).to.deep.equal([]);
    settings = { ...settings, DATABASE_URL: database.url, OWNER_DATABASE_URL: '' };
    expect(await find()).to.deep.equal([]);
    expect((await doctor()).out).to.match(/^CHECK +PROBLEM +ACTION\n/);
  });

  const FINDINGS: Readonly<Record<string, readonly [provoke: () => unknown, check: string, finding: RegExp]>> = {
    'an invalid setting': [() => set('PORT', 'x'), 'settings', /^PORT must be a whole .* → See docs.settings/],
    'a weak setting': [() => set('SCRYPT_LOG_N', '4'), 'settings', /weaker than the defaults\. → Increase/],
    'an invalid URL': [connectTo('x:secret'), 'settings', /^DATABASE_URL must be a URL .* → See/],
    'missing keys': [() => set('JWT_KEYS_FILE', '/none'), 'keys', /^JWT_KEYS_FILE names a file without .* → See/],
    'readable keys': [() => chmodSync(keys, 0o644), 'keys', /can be read by other users .* → Run chmod go-r on it\.$/],
    'keys never rotated': [() => utimesSync(keys, 1, lastYear), 'keys', /366 days old\. → Run "chapter keys rotate/],
    'a new copy of old keys': [() => writeFileSync(keys, oldKeys), 'keys', /days old\. → Run "chapter keys rotate/],
    'an unreachable database': [
      async () => set('DATABASE_URL', await unreachable()),
      'database',
      /^The database at 127\S* cannot be used: the connection was refused, so PostgreSQL may be stopped\. → Check DATABASE_URL\.$/,
    ],
    'no server at a socket': [connectTo('postgresql://a:secret@%2Fx/x'), 'database', /no server listens on its socket/],
    'an unreadable file of a URL': [
      () => set('DATABASE_URL', `${database.url}?sslrootcert=/certificates/none`),
      'database',
      /used: the file \/certificates\/none of its URL cannot be read: no such file or directory\. → Check DATABASE_URL/,
    ],
    'an owner without a database': [
      () => set('OWNER_DATABASE_URL', `${database.url}_absent`),
      'database',
      /no database with that name\. → Check OWNER_DATABASE_URL\.$/,
    ],
    'a missing right': [
      () => run('revoke delete on session from "ROLE"'),
      'role',
      /DATABASE_URL lacks rights .* grant select, insert, update, delete on table session to/,
    ],
    'a right too many': [() => run('grant create on schema public to "ROLE"'), 'role', /too many\..*revoke create/],
    'an owner without rights': [
      async () => set('OWNER_DATABASE_URL', await servingUrlOf(database.url)),
      'role',
      /^The role of OWNER_DATABASE_URL cannot migrate\. → .*grant usage, create on schema/,
    ],
    'an old schema': [
      () => call(['migrate', '--to', '0001-users-and-divisions'], { variables: { DATABASE_URL: database.url } }),
      'schema',
      /^The schema is older than this program \(pending migrations: 0002.* → Run "chapter migrate"/,
    ],
    'expired rows': [() => run(`insert into login_limit values ('over', 3, 1)`), 'purge', /in login_limit\. → Start/],
    'a failing check': [
      () => run('alter table login_limit rename expire to x'),
      'purge',
      /checked: Unexpected internal/,
    ],
    'a replica that is no standby': [
      () => set('DATABASE_REPLICA_URLS', database.url),
      'replicas',
      /^The replica at \S* is not a standby\. → Check the server/,
    ],
    'an unreachable replica': [
      async () => set('DATABASE_REPLICA_URLS', await unreachable()),
      'replicas',
      /^The replica at 127\S* cannot be used: the connection was refused, so PostgreSQL may be stopped\. → Check the server/,
    ],
  };
  /** What a program that changes the database could remove. */
  const REPEATED = new Set(['a missing right', 'expired rows']);
  for (const [title, [provoke, check, finding]] of Object.entries(FINDINGS)) {
    const isRepeated = REPEATED.has(title);
    it(`reports ${title}${isRepeated ? ' each time, because it changes nothing' : ''}`, async () => {
      await provoke();
      const [found, ...others] = await find();
      expect([found?.check, ...others]).to.deep.equal([check]);
      expect(`${found?.problem} → ${found?.action}`)
        .to.match(finding)
        .and.not.match(/secret/);
      if (isRepeated) expect(await find()).to.deep.equal([found]);
    });
  }

  it('reports settings where no database exists yet, and creates none', async () => {
    const dataDir = makeFolder();
    settings = { DATA_DIR: dataDir, SCRYPT_LOG_N: '4', LOG_LEVEL: 'loud' };
    const { err, out, status } = await doctor('--format', 'csv');
    expect([status, err]).to.deep.equal([1, '2 findings.\n']);
    expect(out).to.match(/^check,problem,action\r\nsettings,"?LOG_LEVEL .*\r\nsettings,SCRYPT_LOG_N .*\r\n$/);
    expect(readdirSync(dataDir)).to.deep.equal([]);
  });
});
