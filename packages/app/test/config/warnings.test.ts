import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Client } from 'pg';
import { readConfig } from '../../src/config/config.ts';
import { warningsOf } from '../../src/config/warnings.ts';
import { generateKey, keySetText } from '../../src/tokens/make-keys.ts';

const warned = (variables: Readonly<Record<string, string>>): readonly string[] => warningsOf(readConfig(variables));

describe('The warnings of a start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chapter-warnings-'));
  const keysFile = join(folder, 'keys.json');
  before(() => writeFileSync(keysFile, keySetText([generateKey('EdDSA')]), { mode: 0o600 }));
  after(() => rmSync(folder, { recursive: true }));

  it('are none with the defaults', () => {
    expect(warned({})).to.deep.equal([]);
  });

  for (const url of [
    'postgresql://u:secret@localhost/d',
    'postgresql://u:secret@127.0.0.2:5433/d',
    'postgresql://u:secret@[::1]/d',
    'postgresql://u:secret@%2Fvar%2Frun%2Fpostgresql/d',
    'postgresql://u:secret@localhost/d?host=/var/run/postgresql',
    'postgresql://u:secret@db.example.org/d?sslmode=require',
    'postgresql://u:secret@db.example.org/d?sslmode=verify-full',
    'postgresql://u:secret@db.example.org/d?ssl=true',
    'postgresql://u:secret@db.example.org/d?sslmode=allow',
    'postgresql://u:secret@db.example.org/d?ssl=0&sslmode=require',
  ]) {
    it(`are none for ${url.replace('u:secret@', '')}`, () => {
      expect(warned({ DATABASE_URL: url })).to.deep.equal([]);
    });
  }

  for (const query of ['', '?sslmode=', '?sslmode=disable', '?ssl=true&sslmode=disable', '?host=db.example.org']) {
    it(`name a database without TLS (${query || 'no parameter'}), but not its password`, () => {
      const [warning = '', ...more] = warned({ DATABASE_URL: `postgresql://u:secret@db.example.org/d${query}` });
      expect(warning)
        .to.match(/^DATABASE_URL connects to db\.example\.org without TLS/)
        .and.not.to.contain('secret');
      expect(more).to.deep.equal([]);
    });
  }

  // The driver reads the files of sslrootcert and sslcert, so any existing file serves.
  const file = import.meta.filename;
  for (const query of [
    'ssl=true',
    'ssl=1',
    'ssl=0',
    'ssl=',
    'ssl=no-verify',
    'ssl=true&ssl=0',
    'ssl=0&ssl=true',
    'sslmode=no-verify',
    'sslmode=verify-full&sslmode=disable',
    'sslmode=disable&sslmode=verify-full',
    'sslmode=disable&sslmode=',
    `sslrootcert=${file}`,
    `sslrootcert=${file}&sslmode=disable`,
    `sslcert=${file}&ssl=0`,
    `sslkey=${file}`,
    'sslrootcert=',
    'sslnegotiation=direct',
    'sslnegotiation=postgres',
    'sslnegotiation=direct&ssl=true',
    'host=localhost&host=db.example.org',
    'host=db.example.org&host=localhost',
    'host=::1',
    'host=',
  ]) {
    it(`say what the driver does (${query.replace(file, 'FILE')})`, () => {
      const url = `postgresql://u:secret@db.example.org/d?${query}`;
      const { host, ssl } = new Client({ connectionString: url });
      const isExposed = !ssl && host === 'db.example.org';
      expect(warned({ DATABASE_URL: url })).to.have.lengthOf(isExposed ? 1 : 0);
    });
  }

  it('name the database of the owner without TLS', () => {
    const OWNER_DATABASE_URL = 'postgresql://owner:secret@10.0.0.7/d';
    expect(warned({ DATABASE_URL: 'postgresql://localhost/d', OWNER_DATABASE_URL })[0])
      .to.match(/^OWNER_DATABASE_URL connects to 10\.0\.0\.7 without TLS/)
      .and.not.to.include('secret');
  });

  it('name each of several hosts without TLS', () => {
    const url = 'postgresql://u:secret@db1.example.org:5433,localhost,[2001:db8::1]/d';
    expect(warned({ DATABASE_URL: url }).join()).to.match(
      /^DATABASE_URL connects to db1\.example\.org, \[2001:db8::1\] without/,
    );
    expect(warned({ DATABASE_URL: `${url}?sslmode=verify-full` })).to.deep.equal([]);
  });

  it('name a replica without TLS', () => {
    const DATABASE_REPLICA_URLS = 'postgresql://localhost/d,postgresql://10.0.0.7/d';
    expect(warned({ DATABASE_REPLICA_URLS })[0]).to.match(/^DATABASE_REPLICA_URLS connects to 10\.0\.0\.7 without TLS/);
  });

  it('name a key file that others can read', () => {
    expect(warned({ JWT_KEYS_FILE: keysFile })).to.deep.equal([]);
    chmodSync(keysFile, 0o644);
    expect(warned({ JWT_KEYS_FILE: keysFile })).to.have.lengthOf(1);
    expect(warned({ JWT_KEYS_FILE: keysFile })[0])
      .to.contain(keysFile)
      .and.to.contain('chmod');
  });

  it('name scrypt parameters weaker than the defaults', () => {
    expect(warned({ SCRYPT_LOG_N: '13' })[0]).to.match(/^SCRYPT_LOG_N and SCRYPT_P/);
    expect(warned({ SCRYPT_LOG_N: '15' })).to.deep.equal([]);
  });
});
