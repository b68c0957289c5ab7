import { expect } from 'chai';
import { Client } from 'pg';
import { clientConfig, connectionTargetsOf } from '../../src/connection/options.ts';

/** Returns whether the driver sends plain text, with the configuration for a URL. */
const sendsPlainText = (query: string): boolean =>
  !new Client(clientConfig(`postgresql://u@db.example.org/d?${query}`)).ssl;

describe('The configuration of the driver', () => {
  for (const [query, encrypts] of [
    ['sslmode=require', true],
    ['sslmode=disable', false],
    ['sslmode=disable&sslmode=require', true],
    ['sslmode=require&sslmode=disable', false],
  ] as const) {
    it(`${encrypts ? 'encrypts' : 'does not encrypt'} with ${query}`, () => {
      expect(sendsPlainText(query)).to.equal(!encrypts);
    });
  }

  it('sends no time limits at the start of a connection, because poolers refuse them', () => {
    const limits = 'statement_timeout=1&idle_in_transaction_session_timeout=2&lock_timeout=3';
    const { connectionString } = clientConfig(`postgresql://u@db.example.org/d?${limits}`);
    expect(connectionString).to.equal('postgresql://u@db.example.org/d');
  });

  it('lets the system end a connection whose other end has gone without a word', () => {
    const config = clientConfig('postgresql://u@db.example.org/d');
    expect(config).to.include({ keepAlive: true, keepAliveInitialDelayMillis: 10_000 });
  });
});

const targets = (url: string): readonly string[] =>
  connectionTargetsOf(url).map(({ host, isPlainText }) => `${host}: ${isPlainText ? 'plain text' : 'TLS'}`);

describe('connectionTargetsOf', () => {
  it('returns the hosts in the order of the URL', () => {
    expect(targets('postgresql://db2,db1:5433/d?sslmode=disable')).to.deep.equal([
      'db2: plain text',
      'db1: plain text',
    ]);
    expect(targets('postgresql://db2,db1/d?sslmode=require')).to.deep.equal(['db2: TLS', 'db1: TLS']);
  });

  it('leaves out only the hosts that the driver rejects', () => {
    expect(targets('postgresql://db1,db2:99999/d?sslmode=disable')).to.deep.equal(['db1: plain text']);
    expect(targets('postgresql://db1:99999,db2/d?sslmode=disable')).to.deep.equal(['db2: plain text']);
    expect(targets('postgresql://db1,db2/d?sslrootcert=/no/such/file')).to.deep.equal([]);
  });

  it('returns a host once, also if a parameter replaces every host', () => {
    expect(targets('postgresql://db1:5432,db1:5433/d?sslmode=disable')).to.deep.equal(['db1: plain text']);
    expect(targets('postgresql://a,b/d?host=x&sslmode=disable')).to.deep.equal(['x: plain text']);
  });
});
