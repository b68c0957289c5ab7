import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Database } from '@chapter/adapters-postgres';
import { expect } from 'chai';
import { composeOperator } from '../../src/compose.ts';
import { readConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { ensureKeyFile } from '../../src/tokens/key-file.ts';

const production = {
  CHAPTER_ENV: 'PROD',
  DATABASE_URL: 'postgresql://chapter:secret@db/chapter',
  JWT_KEYS_FILE: '',
  CORS_ORIGINS: 'https://members.example',
};

const faultsOf = (variables: Record<string, string>, purpose?: 'command'): string[] => {
  try {
    readConfig(variables, purpose);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.message).to.equal(
      ['Invalid settings:', ...error.faults.map(({ setting, detail }) => `  ${setting} ${detail}`)].join('\n'),
    );
    return error.faults.map(({ setting, detail }) => `${setting} ${detail}`);
  }
  return [];
};

describe('The configuration', () => {
  let dir: string;
  const file = (text: string): string => {
    writeFileSync(join(dir, 'secret'), text);
    return join(dir, 'secret');
  };
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'chapter-config-'));
    production.JWT_KEYS_FILE = join(dir, 'keys.json');
    ensureKeyFile(production.JWT_KEYS_FILE);
  });
  after(() => rmSync(dir, { recursive: true }));

  it('of DEV needs no settings, and listens on this machine only', () => {
    const { database, dataDir, http, log, ops, tokens } = readConfig({});
    expect(database).to.deep.equal({
      url: null,
      ownerUrl: null,
      poolSize: 10,
      replicaUrls: [],
      migrateOnStart: true,
      demoData: true,
    });
    expect(dataDir).to.equal(resolve('.chapter'));
    expect(http).to.include({
      host: '127.0.0.1',
      port: 3000,
      docs: true,
      hsts: false,
      trustedProxies: 0,
      publicUrl: null,
    });
    expect(http.docsPersistLogin).to.equal(true);
    expect(http.corsOrigins).to.deep.equal([3000, 5173, 8080].map((port) => `http://localhost:${port}`));
    expect(ops).to.deep.equal({ host: '127.0.0.1', port: 9464 });
    expect(log).to.deep.equal({ level: 'info', format: 'text' });
    expect(tokens).to.include({ keysFile: null, accessTtl: 900, refreshTtl: 1_209_600, sessionTtl: 7_776_000 });
  });

  it('of DEV does not migrate the database of DATABASE_URL unless asked to, and stores no demo data there', () => {
    const { DATABASE_URL } = production;
    expect(readConfig({ DATABASE_URL }).database).to.include({ migrateOnStart: false, demoData: false });
    const migrating = readConfig({ DATABASE_URL, MIGRATE_ON_START: 'true' }).database;
    expect(migrating).to.include({ migrateOnStart: true, demoData: false });
  });

  it('of PROD uses the settings of the operator and secure defaults', () => {
    const { database, http, log, scrypt, tokens, workers } = readConfig(production);
    expect(database).to.include({ url: production.DATABASE_URL, migrateOnStart: false, demoData: false });
    expect(http).to.deep.include({ host: '0.0.0.0', hsts: true, corsOrigins: ['https://members.example'] });
    expect(log.format).to.equal('json');
    expect(tokens.keysFile).to.equal(production.JWT_KEYS_FILE);
    expect(scrypt).to.deep.equal({ logN: 14, r: 8, p: 5 });
    expect(workers).to.equal(1);
  });

  it('never keeps the login of the documentation page in PROD', () => {
    expect(readConfig(production).http.docsPersistLogin).to.equal(false);
  });

  it('accepts PUBLIC_URL and removes its trailing slashes', () => {
    const urlOf = (PUBLIC_URL: string) => readConfig({ PUBLIC_URL }).http.publicUrl;
    expect(urlOf('https://members.example')).to.equal('https://members.example');
    expect(urlOf('HTTP://Members.example:8080/chapter//')).to.equal('http://members.example:8080/chapter');
    for (const wrong of [
      'members.example',
      'ftp://members.example',
      '//members.example',
      'https://',
      'https:example',
    ]) {
      expect(faultsOf({ PUBLIC_URL: wrong }), wrong).to.deep.equal([
        'PUBLIC_URL must be an http or https URL such as https://example.org',
      ]);
    }
    for (const wrong of ['https://me:secret@members.example', 'https://a.example/?x', 'https://a.example/#']) {
      expect(faultsOf({ PUBLIC_URL: wrong }), wrong).to.deep.equal([
        'PUBLIC_URL must have no user, password, query or fragment',
      ]);
    }
  });

  it('of PROD reports all missing settings at once', () => {
    expect(faultsOf({ CHAPTER_ENV: 'PROD' })).to.deep.equal(
      ['DATABASE_URL', 'JWT_KEYS_FILE', 'CORS_ORIGINS'].map((name) => `${name} is required when CHAPTER_ENV is PROD`),
    );
  });

  it('accepts OWNER_DATABASE_URL as a secret, and only together with DATABASE_URL', () => {
    const OWNER_DATABASE_URL = 'postgresql://owner:secret@db/chapter';
    expect(readConfig(production).database.ownerUrl).to.equal(null);
    expect(readConfig({ ...production, OWNER_DATABASE_URL }).database.ownerUrl).to.equal(OWNER_DATABASE_URL);
    const OWNER_DATABASE_URL_FILE = file(`${OWNER_DATABASE_URL}\n`);
    expect(readConfig({ ...production, OWNER_DATABASE_URL_FILE }).database.ownerUrl).to.equal(OWNER_DATABASE_URL);
    expect(faultsOf({ OWNER_DATABASE_URL })).to.deep.equal([
      'OWNER_DATABASE_URL also needs DATABASE_URL, the URL of the role that serves requests',
    ]);
    expect(faultsOf({ ...production, OWNER_DATABASE_URL: 'mysql://owner:secret@db/chapter' })[0])
      .to.match(/^OWNER_DATABASE_URL must be a URL such as postgresql:/)
      .and.not.to.include('secret');
  });

  it('of a command does not require settings that only serving needs', () => {
    const { DATABASE_URL } = production;
    expect(faultsOf({ CHAPTER_ENV: 'PROD', DATABASE_URL }, 'command')).to.deep.equal([]);
    expect(faultsOf({ CHAPTER_ENV: 'PROD' }, 'command')).to.have.length(1);
  });

  it('bounds PASSWORD_MIN_LENGTH and passes it to the commands and the service', () => {
    expect(readConfig({}).passwordMinLength).to.equal(8);
    expect(readConfig({ PASSWORD_MIN_LENGTH: '15' }).passwordMinLength).to.equal(15);
    expect(composeOperator(readConfig({ PASSWORD_MIN_LENGTH: '15' }), {} as Database).passwordMinLength).to.equal(15);
    for (const wrong of ['7', '129', '8.5']) {
      expect(faultsOf({ PASSWORD_MIN_LENGTH: wrong })[0]).to.include(
        'PASSWORD_MIN_LENGTH must be a whole number from 8 to 128',
      );
    }
  });

  it('lists all faults with the names of their settings', () => {
    const wrong = {
      ...production,
      CHAPTER_ENV: 'prod',
      DATABASE_POOL_SIZE: '0',
      PORT: '3000x',
      OPS_PORT: 'of',
      OPS_HOST: 'a b',
      LOG_LEVEL: 'wran',
      WORKERS: '1e3',
      MAX_CONNECTIONS: '0',
      PUBLIC_IP: '203.0.113.300',
      DOCS: 'no',
      MIGRATE_ON_START: 'yes',
      ACCESS_TOKEN_TTL: '-1',
      SCRYPT_LOG_N: '21',
      TRUSTED_PROXIES: '1.5',
      JWT_ISSUER: 'a b',
      DATABASE_URL: 'mysql://root:hunter2@db/x',
    };
    const { CHAPTER_ENV, DATABASE_URL, JWT_KEYS_FILE: _k, CORS_ORIGINS: _c, ...others } = wrong;
    const faults = faultsOf(wrong);
    expect(faults.map((line) => line.split(' ')[0])).to.have.members([
      'CHAPTER_ENV',
      'DATABASE_URL',
      ...Object.keys(others),
    ]);
    expect(faults).to.include(`CHAPTER_ENV must be DEV or PROD, but is "${CHAPTER_ENV}"; did you mean PROD?`);
    expect(faults.find((line) => line.startsWith('LOG_LEVEL'))).to.include('did you mean warn?');
    expect(faults).to.include('PORT must be a whole number from 0 to 65535, but is "3000x"');
    expect(faults.join()).not.to.include('hunter2').and.not.to.include(DATABASE_URL);
  });

  it('treats an empty setting as not set', () => {
    expect(readConfig({ PORT: '', HOST: '', DATABASE_URL: '' }).http).to.include({ port: 3000, host: '127.0.0.1' });
    expect(faultsOf({ ...production, CORS_ORIGINS: '' })).to.deep.equal([
      'CORS_ORIGINS is required when CHAPTER_ENV is PROD',
    ]);
  });

  it('suggests a misspelt variable for a missing setting', () => {
    const { CORS_ORIGINS, ...rest } = production;
    expect(faultsOf({ ...rest, CORS_ORIGIN: CORS_ORIGINS })).to.deep.equal([
      'CORS_ORIGINS is required when CHAPTER_ENV is PROD; CORS_ORIGIN is set: did you mean CORS_ORIGINS?',
    ]);
  });

  it('rejects PORT and OPS_PORT on the same port', () => {
    expect(faultsOf({ PORT: '4000', OPS_PORT: '4000' })).to.deep.equal([
      'OPS_PORT must differ from PORT, but both are 4000',
    ]);
    expect(faultsOf({ PORT: '0', OPS_PORT: '0' })).to.deep.equal([]);
  });

  it('accepts no internal port, no docs, and a known or unknown public address', () => {
    const { http, ops } = readConfig({ OPS_PORT: 'off', DOCS: 'off' });
    expect([http.docs, ops]).to.deep.equal([false, null]);
    expect(readConfig({}).publicAddress).to.deep.equal({ known: null, lookUp: true });
    expect(readConfig({ PUBLIC_IP: '2001:db8::1' }).publicAddress).to.deep.equal({
      known: '2001:db8::1',
      lookUp: false,
    });
    expect(readConfig({ PUBLIC_IP: 'off' }).publicAddress).to.deep.equal({ known: null, lookUp: false });
  });

  for (const wrong of ['*', 'https://*.example', 'null', 'example.org', 'ftp://example.org', 'https://a.example,,']) {
    it(`rejects ${wrong} in CORS_ORIGINS`, () => {
      expect(faultsOf({ CORS_ORIGINS: wrong })).to.have.length(1);
    });
  }

  for (const near of [
    'https://a.example/',
    'https://a.example/x',
    'HTTPS://a.example',
    'https://a.example:443',
    'https://u@a.example',
    'a.example',
    'a.example:443',
  ]) {
    it(`rejects ${near} in CORS_ORIGINS and suggests the origin`, () => {
      const [line] = faultsOf({ CORS_ORIGINS: `http://localhost:8080, ${near}` });
      expect(line)
        .to.match(/^CORS_ORIGINS contains ".*"/)
        .and.include('did you mean https://a.example?');
    });
  }

  it('suggests http for an origin of this machine without a scheme', () => {
    for (const near of ['localhost:3000', 'LOCALHOST:3000', '127.0.0.1:3000']) {
      const [line] = faultsOf({ CORS_ORIGINS: near });
      expect(line)
        .to.include(`contains "${near}", which is not an origin`)
        .and.include(`mean http://${near.toLowerCase()}?`);
    }
  });

  for (const wrong of [
    'postgresql://u:hunter2@db:99999/a',
    'postgresql://u:hunter2@db:65536/a',
    'postgresql://u:hunter2@db:0/a',
    'postgresql://u:hunter2@db:1,db2:x/a',
    'postgresql://u:hunter2@db/a?port=99999',
    'postgresql://u:hunter2@db:5432/a?port=x',
    'postgresql://u:hunter2%ZZ@db/a',
    'postgresql://u:hunter2@db/%ZZ',
    'postgresql://u:hunter2@db',
    'postgresql://u:hunter2@db:5432/',
    'postgresql:hunter2',
    'https://u:hunter2@db/a',
  ]) {
    it(`rejects ${wrong} as a database URL, once, and does not repeat it`, () => {
      const detail = 'must be a URL such as postgresql://user:password@host:5432/database with a port from 1 to 65535';
      expect(faultsOf({ ...production, DATABASE_URL: wrong })).to.deep.equal([`DATABASE_URL ${detail}`]);
      const replicas = `postgresql://r1/a,${wrong}`;
      expect(faultsOf({ DATABASE_REPLICA_URLS: replicas })).to.deep.equal([`DATABASE_REPLICA_URLS ${detail}`]);
    });
  }

  it('accepts databases on any port, on a socket, and with driver parameters', () => {
    for (const url of [
      'postgres://db:65535/a',
      'postgresql://u:p%40@[::1]:1/a%20b',
      'postgresql:///a?host=/run/postgresql&port=5433',
      'postgresql://u:p%2C@[::1]:5433,db2,10.0.0.1:1/a?target_session_attrs=read-write',
      'postgresql://db1,db2/a?target_session_attrs=primary',
      'postgresql://db/a?target_session_attrs=any',
    ]) {
      expect(readConfig({ DATABASE_URL: url }).database.url).to.equal(url);
    }
  });

  for (const [wrong, detail] of [
    [
      'postgresql://u:hunter2@db1,db2/a?target_session_attrs=standby',
      'has a target_session_attrs that must be read-write, primary or any, but is "standby"',
    ],
    [
      'postgresql://u:hunter2@db1/a?statement_timeout=15s',
      'has a statement_timeout (milliseconds) that must be a whole number from 0 to 2147483647, but is "15s"',
    ],
    [
      'postgresql://db1,,db2/a?password=hunter2',
      'must be a URL such as postgresql://user:password@host:5432/database with a port from 1 to 65535',
    ],
    [
      'postgresql:///a?password=hunter2&host=db1,db2',
      'must list its hosts before the database (postgresql://host1:5432,host2:5432/database), not in the parameter host',
    ],
    [
      'postgresql://u:hunter2@db1,db2/a?host=db3',
      'must list its hosts before the database (postgresql://host1:5432,host2:5432/database), not in the parameter host',
    ],
  ] as const) {
    it(`rejects ${wrong} and gives the reason`, () => {
      expect(faultsOf({ DATABASE_URL: wrong })).to.deep.equal([`DATABASE_URL ${detail}`]);
    });
  }

  it('treats each item of DATABASE_REPLICA_URLS as one host', () => {
    const [fault = '', ...more] = faultsOf({ DATABASE_REPLICA_URLS: 'postgresql://db1,db2/a' });
    expect(fault).to.match(/^DATABASE_REPLICA_URLS must be a URL such as [^;]*$/);
    expect(more).to.deep.equal([]);
  });

  it('checks DATABASE_REPLICA_URLS for a command too, which reads lists from the primary', () => {
    const DATABASE_REPLICA_URLS = 'postgresql://r1/a';
    expect(readConfig({ DATABASE_REPLICA_URLS }, 'command').database.replicaUrls).to.deep.equal([]);
    expect(faultsOf({ DATABASE_REPLICA_URLS: 'x' }, 'command')).to.have.length(1);
  });

  describe('of secrets', () => {
    it('reads secrets from files', () => {
      const { database } = readConfig({
        DATABASE_URL_FILE: file('postgresql://db/a\n'),
        DATABASE_REPLICA_URLS: 'postgresql://r1/a,postgresql://r2/a',
      });
      expect(database.url).to.equal('postgresql://db/a');
      expect(database.replicaUrls).to.deep.equal(['postgresql://r1/a', 'postgresql://r2/a']);
    });

    it('rejects a secret that is set twice, and an empty, missing or invalid file', () => {
      const twice = faultsOf({ DATABASE_URL: 'postgresql://db/a', DATABASE_URL_FILE: file('postgresql://db/a') });
      expect(twice).to.deep.equal(['DATABASE_URL is set twice, as DATABASE_URL and as DATABASE_URL_FILE; remove one']);
      expect(faultsOf({ DATABASE_URL_FILE: file('\n') })[0]).to.include('DATABASE_URL_FILE names an empty file');
      expect(faultsOf({ DATABASE_URL_FILE: join(dir, 'none') })[0]).to.include('no such file');
      expect(faultsOf({ DATABASE_URL_FILE: file('nonsense') })[0]).to.match(/^DATABASE_URL must be a URL/);
    });

    it('rejects a key file without keys', () => {
      expect(faultsOf({ ...production, JWT_KEYS_FILE: file('{ "keys": [] }') })).to.deep.equal([
        `JWT_KEYS_FILE names a file without valid signing keys (${join(dir, 'secret')}): it contains no key`,
      ]);
    });

    it('reports one fault for a required secret whose file is invalid', () => {
      const { DATABASE_URL: _, ...rest } = production;
      expect(faultsOf({ ...rest, DATABASE_URL_FILE: join(dir, 'none') })).to.have.length(1);
    });
  });
});
