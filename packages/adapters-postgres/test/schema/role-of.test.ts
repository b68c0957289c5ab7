import { expect } from 'chai';
import { Client } from 'pg';
import { roleOf } from '../../src/schema/grants.ts';

describe('The role of a database URL', () => {
  for (const [url, role] of [
    ['postgresql://chapter:secret@db:5432/chapter', 'chapter'],
    ['postgres://chapter%40org@db/chapter?sslmode=require', 'chapter@org'],
    ['postgresql://chapter:secret@db1:5432,db2:5433/chapter?target_session_attrs=read-write', 'chapter'],
    ['postgresql://chapter@%2Fvar%2Frun%2Fpostgresql/chapter', 'chapter'],
    ['postgresql://db/chapter?user=service', 'service'],
  ] as const) {
    it(`is ${role} in ${url}`, () => {
      expect(roleOf(url)).to.equal(role);
    });
  }

  it('is the default of the driver for a URL without a role', () => {
    expect(roleOf('postgresql://db/chapter')).to.equal(new Client({ host: 'db' }).user ?? '');
  });
});
