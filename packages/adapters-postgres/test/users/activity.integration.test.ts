import type { User } from '@chapter/domain';
import { aUser, deleteUser, hashNamed, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { useBlockers } from '../support/use-blockers.ts';
import { useWorld } from '../support/use-world.ts';

const HASH = hashNamed('one');
const SECONDS_PER_DAY = 24 * 60 * 60;
const LIFETIMES = { lifetime: 14 * SECONDS_PER_DAY, sessionLifetime: 90 * SECONDS_PER_DAY };

describe('The day of the last login or refresh', () => {
  const world = useWorld();
  const blockers = useBlockers(world);
  let user: User;
  beforeEach(async () => {
    user = await storeUser(world(), aUser(), HASH);
  });

  const logIn = async (digest: string): Promise<void> => {
    const { ids, sessions } = world();
    expect(
      await sessions.start({ id: ids.next(), userId: user.id, digest, userAgent: null, ...LIFETIMES }, HASH),
    ).not.to.equal(null);
  };
  const refresh = (digest: string, nextDigest: string) =>
    world().sessions.rotate({ digest, family: digest, nextDigest, ...LIFETIMES });
  /** Returns where the row is, and by which transactions it was written and locked. */
  const rowVersion = async () =>
    (await world().sql.query('select ctid, xmin, xmax, last_active_on::text as day from user_activity')).rows;

  it('is written once on a day, and not even locked by later logins and refreshes', async () => {
    await logIn('first');
    const written = await rowVersion();
    expect(written).to.have.length(1);
    await logIn('second');
    await refresh('first', 'third');
    await refresh('third', 'fourth');
    expect(await rowVersion()).to.deep.equal(written);
    world().clock.advance(SECONDS_PER_DAY);
    await refresh('fourth', 'fifth');
    expect(await rowVersion()).not.to.deep.equal(written);
  });

  it('never goes back to an earlier day', async () => {
    await logIn('first');
    await world().sql.query(`update user_activity set last_active_on = '9999-01-01'`);
    await refresh('first', 'second');
    expect(await rowVersion()).to.have.nested.property('[0].day', '9999-01-01');
  });

  it('is not noted by a refresh while the user is being deleted, which would wait for the deletion', async () => {
    await logIn('first');
    await world().sql.query('delete from user_activity');
    const deletion = await blockers.begin();
    await deletion.run('select from user_account where id = $1 for update', user.id);
    expect(await refresh('first', 'second')).to.have.property('user');
    expect(await rowVersion()).to.deep.equal([]);
    await deletion.commit();
    await refresh('second', 'third');
    expect(await rowVersion()).to.have.length(1);
  });

  it('survives concurrent refreshes and the deletion of the user', async () => {
    const { sql, users } = world();
    const digests = ['a', 'b', 'c', 'd'];
    for (const digest of digests) await logIn(digest);
    // As after an upgrade: the refreshes insert the row, which refers to the user that is being deleted.
    await sql.query('delete from user_activity');
    const refreshes = digests.map((digest) => refresh(digest, `${digest}${digest}`));
    await deleteUser({ users }, user.id);
    // Each refresh came before the deletion, or found no session.
    await Promise.all(refreshes);
    expect(await rowVersion()).to.deep.equal([]);
  });
});
