import { authorOf } from '@chapter/domain/ports';
import { aLeader, asNewUser, aUser, hashNamed, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { useWorld } from '../support/use-world.ts';

describe('A creation under an idempotency key', () => {
  const world = useWorld();

  it('stores the password hash with the user and nowhere else', async () => {
    const leader = aLeader();
    const { division } = await storeUser(world(), leader);
    const user = asNewUser(aUser().of(division), hashNamed('one'));
    await world().users.create(authorOf(leader), user, () => {}, { key: 'key', request: '{}' });
    const { rows } = await world().sql.query('select k::text as stored from idempotency_key k');
    expect(rows).to.have.lengthOf(1);
    expect(rows[0].stored).not.to.include(hashNamed('one'));
  });

  it('removes the hash that release 0.1.0 stored under an expired key', async () => {
    const { sql, users } = world();
    const leader = aLeader();
    const { division } = await storeUser(world(), leader);
    const create = () =>
      users.create(authorOf(leader), asNewUser(aUser().of(division)), () => {}, { key: 'old', request: '{}' });
    await create();
    await sql.query(`update idempotency_key set password_hash = 'old hash', created_at = created_at - interval '1 day'
      where key = 'old'`);
    expect(await create()).to.have.property('user');
    const { rows } = await sql.query(`select password_hash from idempotency_key where key = 'old'`);
    expect(rows).to.deep.equal([{ password_hash: null }]);
  });
});
