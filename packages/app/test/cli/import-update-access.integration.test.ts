import { expect } from 'chai';
import { NORTH, SOUTH } from './in-bulk.ts';
import { ADA, BOB, CAL, counts, useStoredUsers } from './stored-users.ts';

describe('chapter import --update of what gives users access', () => {
  const { audited, done, links, sessions, sql, update, users } = useStoredUsers();

  it('moves a user as User unless the file gives groups, voids the password link, and keeps sessions', async () => {
    const dan = `id,username,division_id,groups\n,dan,${NORTH},Leader\n`;
    await update(dan);
    expect(await update(`username,division_id\nada,${SOUTH}\nbob,${NORTH}\n`)).to.deep.equal(counts(0, 1, 1));
    expect(await update(`username,division_id,groups\nbob,${SOUTH},Guest\n`)).to.deep.equal(counts(0, 1, 0));
    expect(await users('division_id, groups::text', `username in ('ada', 'bob')`)).to.deep.equal([
      { username: 'ada', version: 2, division_id: SOUTH, groups: '{User}' },
      { username: 'bob', version: 2, division_id: SOUTH, groups: '{Guest}' },
    ]);
    for (const name of ['North', 'South']) {
      const entries = (await done('audit', '--division', name)) as { action: string }[];
      expect(entries.filter(({ action }) => action === 'moveUser')).to.have.length(2);
    }
    expect(await links()).to.deep.equal([CAL]);
    expect(await sessions()).to.deep.equal([ADA, BOB, CAL]);
  });

  it('ends the sessions and voids the link of a user with a new password or hash, and leaves users without one', async () => {
    const [ada] = await sql<{ password_hash: string }>(`select password_hash from user_account where id = '${ADA}'`);
    expect(await update('username,password\nada,\nbob,a brand new secret\n')).to.deep.equal(counts(0, 1, 1));
    expect(await sessions()).to.deep.equal([ADA, CAL]);
    expect(await links()).to.deep.equal([ADA, CAL]);
    expect((await audited())[0]?.changes).to.deep.equal({ password: { old: null, new: 'changed' } });
    const csv = `username,password_hash\nada,${ada?.password_hash}\ncal,${ada?.password_hash}\nbob,\n`;
    expect(await update(csv)).to.deep.equal(counts(0, 2, 1));
    expect(await users('password_hash')).to.deep.equal([
      { username: 'ada', version: 1, password_hash: ada?.password_hash },
      { username: 'bob', version: 3, password_hash: null },
      { username: 'cal', version: 2, password_hash: ada?.password_hash },
    ]);
    expect(await sessions()).to.deep.equal([ADA]);
    expect(await links()).to.deep.equal([ADA]);
    expect(await sql(`select from audit_entry where changes::text like '%secret%'`)).to.deep.equal([]);
  });
});
