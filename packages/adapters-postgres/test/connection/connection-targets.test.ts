import { expect } from 'chai';
import { connectionTargetsOf } from '../../src/connection/options.ts';

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
