import { expect } from 'chai';
import { databaseAddressOf, hostOf, splitHosts, urlParameters } from '../../src/database-url/index.ts';

describe('splitHosts', () => {
  it('returns one URL per host, in order, with the same user and parameters', () => {
    expect(splitHosts('postgresql://u:p@h1:1,h2/d?sslmode=verify-full&target_session_attrs=any')).to.deep.equal([
      'postgresql://u:p@h1:1/d?sslmode=verify-full&target_session_attrs=any',
      'postgresql://u:p@h2/d?sslmode=verify-full&target_session_attrs=any',
    ]);
    expect(splitHosts('postgres://[::1]:5433,[fe80::1],10.0.0.1/d')).to.deep.equal([
      'postgres://[::1]:5433/d',
      'postgres://[fe80::1]/d',
      'postgres://10.0.0.1/d',
    ]);
  });

  it('treats commas and @ in the password as part of the password, encoded or not', () => {
    expect(splitHosts('postgresql://u:a,b@c%40%2C@h1,h2/d')).to.deep.equal([
      'postgresql://u:a,b@c%40%2C@h1/d',
      'postgresql://u:a,b@c%40%2C@h2/d',
    ]);
  });

  for (const url of [
    'postgresql://u:a,b@h1:1/d',
    'postgresql://h/d?application_name=a,b',
    'postgresql://%2Frun%2Fpostgresql/d',
    'postgresql:///d?host=/run/a,b',
    'mysql://h1,h2/d',
    'nonsense',
  ]) {
    it(`returns ${url} unchanged`, () => {
      expect(splitHosts(url)).to.deep.equal([url]);
    });
  }
});

describe('urlParameters', () => {
  it('returns the last value of a repeated parameter', () => {
    const parameters = urlParameters('postgresql://h1,h2/d?sslmode=require&a=%26&sslmode=disable');
    expect([...parameters]).to.deep.equal([
      ['sslmode', 'disable'],
      ['a', '&'],
    ]);
  });
});

describe('hostOf', () => {
  const { PGHOST, PGPORT } = process.env;
  const setEnvironment = (variables: NodeJS.ProcessEnv): void => {
    for (const name of ['PGHOST', 'PGPORT']) delete process.env[name];
    Object.assign(process.env, variables);
  };
  beforeEach(() => setEnvironment({}));
  after(() => setEnvironment({ ...(PGHOST ? { PGHOST } : {}), ...(PGPORT ? { PGPORT } : {}) }));

  it('returns PGHOST and PGPORT if the URL has no host or port, as the driver does', () => {
    setEnvironment({ PGHOST: 'db.example.org', PGPORT: '5433' });
    expect(hostOf('postgresql:///d')).to.equal('db.example.org:5433');
    expect(hostOf('postgresql://h1/d')).to.equal('h1:5433');
    expect(hostOf('postgresql://h1:5432/d')).to.equal('h1:5432');
    setEnvironment({ PGHOST: '/run/postgresql' });
    expect(hostOf('postgresql:///d')).to.equal('/run/postgresql');
  });

  for (const [url, host] of [
    ['postgresql://u:secret@h1/d', 'h1:5432'],
    ['postgresql://u:secret@[::1]:5433/d', '[::1]:5433'],
    ['postgresql://u:secret@h1/d?host=h2&port=5434', 'h2:5434'],
    ['postgresql://u:secret@h1/d?host=h2&host=h3&port=1&port=2', 'h3:2'],
    ['postgresql:///d?host=/run/postgresql', '/run/postgresql'],
    ['postgresql://%2Frun%2Fpostgresql/d', '/run/postgresql'],
    ['postgresql:///d', 'localhost:5432'],
  ] as const) {
    it(`returns ${host} for ${url}`, () => {
      expect(hostOf(url)).to.equal(host);
    });
  }
});

describe('databaseAddressOf', () => {
  it('returns every host and the database, but neither user nor password', () => {
    expect(databaseAddressOf('postgresql://u:secret@h1:1,[::1]/d?options=x')).to.equal('h1:1,[::1]:5432/d');
    expect(databaseAddressOf('postgresql://u:secret@h1/d')).to.equal('h1:5432/d');
  });
});
