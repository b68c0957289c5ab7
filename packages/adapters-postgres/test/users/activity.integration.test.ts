import type { User } from '@chapter/domain';
import { aSession, aUser, deleteUser, rotate, storeUser, visitorHash } from '@chapter/domain/testing';
import { expect } from 'chai';
import { useBlockedWorld } from '../support/use-blockers.ts';

const SECONDS_PER_DAY = 24 * 60 * 60;

describe('The day of the last login or refresh', () => {
  const { world, blockers } = useBlockedWorld();
  let user: User;
  beforeEach(async () => {
    user = await storeUser(world(), aUser(), visitorHash);
  });

  const logIn = async (): Promise<string> => (await aSession(world(), user, visitorHash)).digest;
  const refresh = async (digest: string): Promise<string> => (await rotate(world(), digest)).nextDigest;
  /** Returns where the row is, and by which transactions it was written and locked. */
  const rowVersion = async () =>
    (await world().sql.query('select ctid, xmin, xmax, last_active_on::text as day from user_activity')).rows;

  it('is written once on a day, and not even locked by later logins and refreshes', async () => {
    const first = await logIn();
    const written = await rowVersion();
    expect(written).to.have.length(1);
    await logIn();
    const latest = await refresh(await refresh(first));
    expect(await rowVersion()).to.deep.equal(written);
    world().clock.advance(SECONDS_PER_DAY);
    await refresh(latest);
    expect(await rowVersion()).not.to.deep.equal(written);
  });

  it('never goes back to an earlier day', async () => {
    const digest = await logIn();
    await world().sql.query(`update user_activity set last_active_on = '9999-01-01'`);
    await refresh(digest);
    expect(await rowVersion()).to.have.nested.property('[0].day', '9999-01-01');
  });

  it('is not noted by a refresh while the user is being deleted, which would wait for the deletion', async () => {
    const digest = await logIn();
    await world().sql.query('delete from user_activity');
    const deletion = await blockers.begin();
    await deletion.run('select from user_account where id = $1 for update', user.id);
    const { nextDigest, rotated } = await rotate(world(), digest);
    expect(rotated).to.have.property('user');
    expect(await rowVersion()).to.deep.equal([]);
    await deletion.commit();
    await refresh(nextDigest);
    expect(await rowVersion()).to.have.length(1);
  });

  it('survives concurrent refreshes and the deletion of the user', async () => {
    const { sql, users } = world();
    const digests = [await logIn(), await logIn(), await logIn(), await logIn()];
    // As after an upgrade: the refreshes insert the row, which refers to the user that is being deleted.
    await sql.query('delete from user_activity');
    const refreshes = digests.map(refresh);
    await deleteUser({ users }, user.id);
    // Each refresh came before the deletion, or found no session.
    await Promise.all(refreshes);
    expect(await rowVersion()).to.deep.equal([]);
  });
});
