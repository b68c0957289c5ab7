import { expect } from 'chai';
import { readConfig } from '../../src/config/config.ts';
import { faultsOf, useSettingFiles } from './settings.ts';

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
