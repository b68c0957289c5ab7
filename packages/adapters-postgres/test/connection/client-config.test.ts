import { expect } from 'chai';
import { Client } from 'pg';
import { clientConfig } from '../../src/connection/options.ts';

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
