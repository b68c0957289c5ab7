import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { readConfig } from '../../src/config/config.ts';
import { warningsOf } from '../../src/config/warnings.ts';
import { generateKey, keySetText } from '../../src/tokens/key-set.ts';

const warned = (variables: Readonly<Record<string, string>>): readonly string[] => warningsOf(readConfig(variables));

describe('The warnings of a start', () => {
  const folder = makeFolder();
  const keysFile = join(folder, 'keys.json');
  before(() => writeFileSync(keysFile, keySetText([generateKey('EdDSA')]), { mode: 0o600 }));

  // The driver reads these variables.
  const environment = Object.fromEntries(
    ['PGHOST', 'PGSSLMODE', 'PGSSLNEGOTIATION'].map((name) => [name, process.env[name]]),
  );
  beforeEach(() => {
    for (const name of Object.keys(environment)) delete process.env[name];
  });
  after(() => {
    for (const [name, value] of Object.entries(environment)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  it('are none with the defaults', () => {
    expect(warned({})).to.deep.equal([]);
  });

  it('name the settings whose http URL leads to another machine', () => {
    const PASSWORD_PAGE_URL = 'http://app.example.org/password';
    expect(warned({ PUBLIC_URL: 'http://[::1]:3000', PASSWORD_PAGE_URL })).to.deep.equal([
      'PASSWORD_PAGE_URL is an http URL: passwords and tokens can be read in transit; use https',
    ]);
    expect(warned({ PUBLIC_URL: 'http://members.example.org' })).to.have.length(1);
  });

  it('say in PROD that password links have no address', () => {
    const PROD = { CHAPTER_ENV: 'PROD', DATABASE_URL: 'postgresql://localhost/d', CORS_ORIGINS: 'https://a.example' };
    const settings = { ...PROD, JWT_KEYS_FILE: keysFile };
    expect(warned(settings)).to.deep.equal([
      'PUBLIC_URL is not set: password links are only paths without an address; set it or PASSWORD_PAGE_URL',
    ]);
    for (const setting of ['PUBLIC_URL', 'PASSWORD_PAGE_URL']) {
      expect(warned({ ...settings, [setting]: 'https://members.example.org/password' })).to.deep.equal([]);
    }
  });

  // The driver reads the files of sslrootcert and sslcert, so any existing file serves.
  const file = import.meta.filename;

  for (const [host, query] of [
    ['localhost', ''],
    ['127.0.0.2:5433', ''],
    ['[::1]', ''],
    ['%2Fvar%2Frun%2Fpostgresql', ''],
    ['localhost', '?host=/var/run/postgresql'],
    ['db.example.org', '?host=db2.example.org&host=localhost'],
    ['db.example.org', '?host=::1'],
    ['db.example.org', '?sslmode=require'],
    ['db.example.org', '?sslmode=allow'],
    ['db.example.org', '?sslmode=no-verify'],
    ['db.example.org', '?sslmode=disable&sslmode=verify-full'],
    ['db.example.org', '?ssl=true'],
    ['db.example.org', '?ssl=no-verify'],
    ['db.example.org', '?ssl=0&sslmode=require'],
    ['db.example.org', '?sslnegotiation=direct'],
    ['db.example.org', `?sslrootcert=${file}`],
    ['db.example.org', '?sslrootcert=/no/such/file'],
  ] as const) {
    it(`are none for ${host}${query.replace(file, 'FILE')}`, () => {
      expect(warned({ DATABASE_URL: `postgresql://u:secret@${host}/d${query}` })).to.deep.equal([]);
    });
  }

  for (const query of [
    '',
    '?sslmode=',
    '?sslmode=disable',
    '?ssl=true&sslmode=disable',
    '?sslmode=verify-full&sslmode=disable',
    '?ssl=true&ssl=0',
    '?sslnegotiation=postgres',
    '?sslrootcert=',
    `?sslrootcert=${file}&sslmode=disable`,
    '?host=',
    '?host=localhost&host=db.example.org',
  ]) {
    it(`name a database without TLS (${query.replace(file, 'FILE') || 'no parameter'}), but not its password`, () => {
      const [warning = '', ...more] = warned({ DATABASE_URL: `postgresql://u:secret@db.example.org/d${query}` });
      expect(warning)
        .to.match(/^DATABASE_URL connects to db\.example\.org without TLS/)
        .and.not.to.contain('secret');
      expect(more).to.deep.equal([]);
    });
  }

  it('consider PGSSLMODE for a URL that does not set TLS', () => {
    const warningsFor = (query: string) => warned({ DATABASE_URL: `postgresql://db.example.org/d${query}` });
    process.env['PGSSLMODE'] = 'require';
    expect(warningsFor('')).to.deep.equal([]);
    expect(warningsFor('?sslmode=disable')).to.have.lengthOf(1);
    process.env['PGSSLMODE'] = 'disable';
    expect(warningsFor('')).to.have.lengthOf(1);
    expect(warningsFor('?sslmode=require')).to.deep.equal([]);
  });

  it('consider PGHOST for a URL without a host', () => {
    const DATABASE_URL = 'postgresql:///d';
    expect(warned({ DATABASE_URL })).to.deep.equal([]);
    process.env['PGHOST'] = '/var/run/postgresql';
    expect(warned({ DATABASE_URL })).to.deep.equal([]);
    process.env['PGHOST'] = 'db.example.org';
    expect(warned({ DATABASE_URL })[0]).to.match(/^DATABASE_URL connects to db\.example\.org without TLS/);
    expect(warned({ DATABASE_URL: 'postgresql://localhost/d' })).to.deep.equal([]);
  });

  it('name the database of the owner without TLS', () => {
    const OWNER_DATABASE_URL = 'postgresql://owner:secret@10.0.0.7/d';
    expect(warned({ DATABASE_URL: 'postgresql://localhost/d', OWNER_DATABASE_URL })[0])
      .to.match(/^OWNER_DATABASE_URL connects to 10\.0\.0\.7 without TLS/)
      .and.not.to.include('secret');
  });

  it('name each of several hosts without TLS', () => {
    const url = 'postgresql://u:secret@db1.example.org:5433,localhost,[2001:db8::1]/d';
    expect(warned({ DATABASE_URL: url }).join()).to.match(
      /^DATABASE_URL connects to db1\.example\.org, 2001:db8::1 without/,
    );
    expect(warned({ DATABASE_URL: `${url}?sslmode=verify-full` })).to.deep.equal([]);
  });

  it('name a replica without TLS', () => {
    const DATABASE_REPLICA_URLS = 'postgresql://localhost/d,postgresql://10.0.0.7/d';
    expect(warned({ DATABASE_REPLICA_URLS })[0]).to.match(/^DATABASE_REPLICA_URLS connects to 10\.0\.0\.7 without TLS/);
  });

  it('name a key file that others can read', () => {
    expect(warned({ JWT_KEYS_FILE: keysFile })).to.deep.equal([]);
    // One bit at a time: the group, then all others.
    for (const mode of [0o640, 0o604]) {
      chmodSync(keysFile, mode);
      expect(warned({ JWT_KEYS_FILE: keysFile })).to.deep.equal([
        `JWT_KEYS_FILE (${keysFile}) can be read by other users of this machine; run chmod go-r on it`,
      ]);
    }
  });

  it('name more connections than fit into the memory', () => {
    const MAX_CONNECTIONS = '1000000';
    expect(warningsOf(readConfig({ MAX_CONNECTIONS }, 'serve', Number.POSITIVE_INFINITY))[0]).to.match(
      /^MAX_CONNECTIONS is 1000000, but only \d+ connections fit into the memory/,
    );
  });

  it('name scrypt parameters weaker than the defaults', () => {
    expect(warned({ SCRYPT_LOG_N: '13' })[0]).to.match(/^SCRYPT_LOG_N and SCRYPT_P/);
    expect(warned({ SCRYPT_LOG_N: '15' })).to.deep.equal([]);
  });
});
