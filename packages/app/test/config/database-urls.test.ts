import { expect } from 'chai';
import { readConfig } from '../../src/config/config.ts';
import { faultsOf, useSettingFiles } from './settings.ts';

describe('The database URLs of the configuration', () => {
  const { production, write } = useSettingFiles();

  it('accepts OWNER_DATABASE_URL as a secret, and only together with DATABASE_URL', () => {
    const OWNER_DATABASE_URL = 'postgresql://owner:secret@db/chapter';
    expect(readConfig(production).database.ownerUrl).to.equal(null);
    expect(readConfig({ ...production, OWNER_DATABASE_URL }).database.ownerUrl).to.equal(OWNER_DATABASE_URL);
    const OWNER_DATABASE_URL_FILE = write(`${OWNER_DATABASE_URL}\n`);
    expect(readConfig({ ...production, OWNER_DATABASE_URL_FILE }).database.ownerUrl).to.equal(OWNER_DATABASE_URL);
    expect(faultsOf({ OWNER_DATABASE_URL })).to.deep.equal([
      'OWNER_DATABASE_URL also needs DATABASE_URL, the URL of the role that serves requests',
    ]);
    expect(faultsOf({ ...production, OWNER_DATABASE_URL: 'mysql://owner:secret@db/chapter' })[0])
      .to.match(/^OWNER_DATABASE_URL must be a URL such as postgresql:/)
      .and.not.to.include('secret');
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
      'postgresql://db1/a?lock_timeout=-1',
      'has a lock_timeout (milliseconds) that must be a whole number from 0 to 2147483647, but is "-1"',
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
});
