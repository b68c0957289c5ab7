import { resolve } from 'node:path';
import type { Database } from '@chapter/adapters-postgres';
import { expect } from 'chai';
import { composeOperator } from '../../src/compose.ts';
import { readConfig } from '../../src/config/config.ts';
import { faultsOf, useSettingFiles } from './settings.ts';

describe('The configuration', () => {
  const { production } = useSettingFiles();

  it('of DEV needs no settings, and listens on this machine only', () => {
    const { database, dataDir, http, log, ops, tokens } = readConfig({});
    expect(database).to.deep.equal({
      url: null,
      ownerUrl: null,
      poolSize: 10,
      replicaUrls: [],
      requestDeadlineMs: 5000,
      migrateOnStart: true,
      demoData: true,
    });
    expect(dataDir).to.equal(resolve('.chapter'));
    expect(http).to.include({ host: '127.0.0.1', port: 3000, docs: true, docsPersistLogin: true });
    expect(http).to.include({ hsts: false, trustedProxies: 0, publicUrl: null });
    const origins = (host: string) => [3000, 5173, 8080].map((port) => `http://${host}:${port}`);
    expect(http.corsOrigins).to.deep.equal([...origins('localhost'), ...origins('127.0.0.1')]);
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
    expect(http).to.include({ host: '0.0.0.0', hsts: true, hstsIncludesSubdomains: false, docsPersistLogin: false });
    expect(http.corsOrigins).to.deep.equal(['https://members.example']);
    expect(readConfig({ ...production, HSTS_INCLUDE_SUBDOMAINS: 'true' }).http.hstsIncludesSubdomains).to.equal(true);
    expect(log.format).to.equal('json');
    expect(tokens.keysFile).to.equal(production.JWT_KEYS_FILE);
    expect(scrypt).to.deep.equal({ logN: 14, r: 8, p: 5 });
    expect(workers).to.equal(1);
  });

  it('of PROD reports all missing settings at once', () => {
    expect(faultsOf({ CHAPTER_ENV: 'PROD' })).to.deep.equal(
      ['DATABASE_URL', 'JWT_KEYS_FILE', 'CORS_ORIGINS'].map((name) => `${name} is required when CHAPTER_ENV is PROD`),
    );
  });

  it('of a command does not require settings that only serving needs', () => {
    const { DATABASE_URL } = production;
    expect(faultsOf({ CHAPTER_ENV: 'PROD', DATABASE_URL }, 'command')).to.deep.equal([]);
    expect(faultsOf({ CHAPTER_ENV: 'PROD' }, 'command')).to.have.length(1);
  });

  it('of a command has no deadline of requests', () => {
    const variables = { ...production, REQUEST_DEADLINE: '25' };
    const { database, http } = readConfig(variables);
    expect([database.requestDeadlineMs, http.requestDeadlineMs]).to.deep.equal([25_000, 25_000]);
    expect(readConfig(variables, 'command').database).not.to.have.property('requestDeadlineMs');
  });

  it('traces requests only when serving, with an endpoint, unless OpenTelemetry is turned off', () => {
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318';
    expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT }).tracing).to.equal(true);
    expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT }, 'command').tracing).to.equal(false);
    const offs = { OTEL_SDK_DISABLED: 'True', OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: '' };
    for (const [name, off] of Object.entries(offs)) {
      expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, [name]: off }).tracing, name).to.equal(false);
    }
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

  it('bounds HASH_PROCESSORS by the threads of the pool, and passes it to the service', async () => {
    const { hasher } = composeOperator(readConfig({ HASH_PROCESSORS: '2', SCRYPT_LOG_N: '4' }), {} as Database);
    const hashes = ['a', 'b', 'c'].map((password) => hasher.hash(password));
    expect(hasher.use()).to.deep.equal({ running: 2, waiting: 1 });
    await Promise.all(hashes);
    expect(faultsOf({ HASH_PROCESSORS: '3' })).to.deep.equal([
      'HASH_PROCESSORS must be a whole number from 1 to 2, but is "3"',
    ]);
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
    const names = ['CHAPTER_ENV', 'DATABASE_URL', ...Object.keys(others)];
    expect(faults.map((line) => line.split(' ')[0])).to.have.members(names);
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
    const known = '2001:db8::1';
    expect(readConfig({ PUBLIC_IP: known }).publicAddress).to.deep.equal({ known, lookUp: false });
    expect(readConfig({ PUBLIC_IP: 'off' }).publicAddress).to.deep.equal({ known: null, lookUp: false });
  });
});

describe('The secrets of the configuration', () => {
  const { missingFile, production, write } = useSettingFiles();

  it('reads secrets from files', () => {
    const { database } = readConfig({
      DATABASE_URL_FILE: write('postgresql://db/a\n'),
      DATABASE_REPLICA_URLS: 'postgresql://r1/a,postgresql://r2/a',
    });
    expect(database.url).to.equal('postgresql://db/a');
    expect(database.replicaUrls).to.deep.equal(['postgresql://r1/a', 'postgresql://r2/a']);
  });

  it('rejects a secret that is set twice, and an empty, missing or invalid file', () => {
    const twice = faultsOf({ DATABASE_URL: 'postgresql://db/a', DATABASE_URL_FILE: write('postgresql://db/a') });
    expect(twice).to.deep.equal(['DATABASE_URL is set twice, as DATABASE_URL and as DATABASE_URL_FILE; remove one']);
    expect(faultsOf({ DATABASE_URL_FILE: write('\n') })[0]).to.include('DATABASE_URL_FILE names an empty file');
    expect(faultsOf({ DATABASE_URL_FILE: missingFile })[0]).to.include('no such file');
    expect(faultsOf({ DATABASE_URL_FILE: write('nonsense') })[0]).to.match(/^DATABASE_URL must be a URL/);
  });

  it('rejects a key file without keys', () => {
    const emptySet = write('{ "keys": [] }');
    expect(faultsOf({ ...production, JWT_KEYS_FILE: emptySet })).to.deep.equal([
      `JWT_KEYS_FILE names a file without valid signing keys (${emptySet}): it contains no key`,
    ]);
  });

  it('reports one fault for a required secret whose file is invalid', () => {
    const { DATABASE_URL: _, ...rest } = production;
    expect(faultsOf({ ...rest, DATABASE_URL_FILE: missingFile })).to.have.length(1);
  });
});
