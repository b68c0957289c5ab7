import { actorOf, authorOf, OPERATOR, type User } from '@chapter/domain/ports';
import { asNewUser, aUser, hashNamed, makeSettableClock, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { connectPostgres } from '../../src/index.ts';
import { useBlockers } from '../support/use-blockers.ts';
import { useWorld } from '../support/use-world.ts';

const DAY_SECONDS = 24 * 60 * 60;

describe('purge', () => {
  const world = useWorld();
  const blockers = useBlockers(world);

  const purge = async (): Promise<number> => {
    const { deleted, failures } = await world().database.purge();
    expect(failures).to.deep.equal({});
    return Object.values(deleted).reduce((sum, rows) => sum + rows, 0);
  };

  const counts = async (): Promise<Record<string, number>> => {
    const tables = ['session', 'refresh_token', 'idempotency_key', 'login_limit', 'user_account'];
    const { rows } = await world().sql.query<Record<string, number>>(
      `select ${tables.map((table) => `(select count(*)::int from ${table}) as ${table}`).join(', ')}`,
    );
    return rows[0] ?? {};
  };

  const begin = async (user: User, digest: string, days: number): Promise<void> => {
    const { ids, sessions } = world();
    const lifetimes = { lifetime: days * DAY_SECONDS, sessionLifetime: 90 * DAY_SECONDS };
    const session = { id: ids.next(), userId: user.id, digest, userAgent: null };
    await sessions.start({ ...session, ...lifetimes }, hashNamed('one'));
  };

  it('has not run for an hour if a table has rows that expired before', async () => {
    const { clock, ids, plainUrl } = world();
    const database = connectPostgres({ url: plainUrl, clock, ids });
    const insert = (key: string, minutes: number) =>
      world().sql.query(
        `insert into login_limit values ('${key}', 1, (extract(epoch from now() - interval '${minutes} minutes') * 1000)::bigint)`,
      );
    await insert('due', 59);
    expect(await database.diagnosis.overdue()).to.equal('');
    await insert('overdue', 61);
    await world().sql.query(`insert into idempotency_key (author, key, request, answer, created_at)
      values ('${ids.next()}', 'key', '', '{}', now() - interval '30 days')`);
    expect(await database.diagnosis.overdue()).to.equal('idempotency_key, login_limit');
    await database.close();
  });

  it('deletes expired rows and nothing else', async () => {
    const { clock, loginLimits, users } = world();
    const user = await storeUser(world(), aUser(), hashNamed('one'));
    const author = authorOf(actorOf(user));
    const create = (key: string) =>
      users.create(author, asNewUser(aUser().of(user.division)), () => {}, { key, request: '' });
    await begin(user, 'short', 1);
    await create('old');
    clock.advance(DAY_SECONDS / 2);
    await begin(user, 'long', 3);
    await create('young');
    await loginLimits.begin({ username: 'ada' }, '192.0.2.0/24');
    await world().sql.query(`insert into login_limit values ('over', 3, 1)`);
    expect(await purge()).to.equal(1);
    expect(await purge()).to.equal(0);
    clock.advance(DAY_SECONDS / 2);
    const before = await counts();
    // The two limits are those of the username and of the network.
    expect((await world().database.purge()).deleted).to.deep.equal({
      session: 1,
      refresh_token: 1,
      idempotency_key: 1,
      password_link: 0,
      personal_token: 0,
      login_limit: 2,
    });
    expect(await counts()).to.deep.equal({
      ...before,
      session: 1,
      refresh_token: 1,
      idempotency_key: 1,
      login_limit: 0,
    });
  });

  it('deletes password links that have expired', async () => {
    const { clock, passwordLinks } = world();
    const [ada, eve] = [await storeUser(world(), aUser()), await storeUser(world(), aUser())];
    await passwordLinks.create(OPERATOR, { userId: ada.id, digest: 'short', lifetime: DAY_SECONDS }, () => {});
    await passwordLinks.create(OPERATOR, { userId: eve.id, digest: 'long', lifetime: 2 * DAY_SECONDS }, () => {});
    expect(await purge()).to.equal(0);
    clock.advance(DAY_SECONDS);
    expect(await purge()).to.equal(1);
    expect((await passwordLinks.find('long'))?.user.id).to.equal(eve.id);
  });

  for (const [title, ahead] of [
    ['the instance', { instance: 16 * DAY_SECONDS, database: 0 }],
    ['the database', { instance: 0, database: 16 * DAY_SECONDS }],
  ] as const) {
    it(`deletes nothing that is valid by one clock when the clock of ${title} is 16 days ahead`, async () => {
      const { clock, ids, loginLimits, url, users } = world();
      const user = await storeUser(world(), aUser(), hashNamed('one'));
      const author = authorOf(actorOf(user));
      await begin(user, 'token', 14);
      await users.create(author, asNewUser(aUser().of(user.division)), () => {}, { key: 'key', request: '' });
      await loginLimits.begin({ username: 'ada' }, '192.0.2.0/24');
      const before = await counts();
      const ownClock = makeSettableClock(clock.now());
      ownClock.advance(ahead.instance);
      clock.advance(ahead.database);
      const instance = connectPostgres({ url, clock: ownClock, ids });
      const { deleted } = await world().inTime(instance).purge();
      expect(Object.values(deleted)).to.deep.equal([0, 0, 0, 0, 0, 0]);
      expect(await counts()).to.deep.equal(before);
      await instance.close();
    });
  }

  it('deletes any number of rows, in batches of a thousand', async () => {
    const { clock, sql } = world();
    await sql.query(
      `insert into idempotency_key (author, key, request, answer, created_at)
       select '', n::text, '', '{}', timestamptz '2001-01-01' from generate_series(1, 2500) n`,
    );
    clock.advance(DAY_SECONDS);
    expect(await purge()).to.equal(2500);
    expect((await counts())['idempotency_key']).to.equal(0);
  });

  it('leaves rows that another transaction holds to the next run, and does not wait for them', async () => {
    const user = await storeUser(world(), aUser(), hashNamed('one'));
    await begin(user, 'held', 1);
    await begin(user, 'free', 1);
    world().clock.advance(DAY_SECONDS);
    const blocker = await blockers.begin();
    await blocker.run(`select from refresh_token where digest = 'held' for update`);
    const { deleted } = await world().database.purge();
    expect(deleted).to.include({ session: 2, refresh_token: 1 });
    await blocker.commit();
    expect((await world().database.purge()).deleted).to.include({ refresh_token: 1 });
  });

  it('reports a table that fails, and purges the others', async () => {
    const { clock, database, sql } = world();
    await begin(await storeUser(world(), aUser(), hashNamed('one')), 'token', 1);
    clock.advance(DAY_SECONDS);
    await sql.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
       create trigger refuse before delete on session for each row execute function refuse()`,
    );
    const { deleted, failures } = await database.purge();
    await sql.query('drop function refuse cascade');
    expect(failures).to.deep.equal({ session: 'Error: the database refused a statement (SQLSTATE P0001)' });
    expect(deleted).to.include({ session: 0, refresh_token: 1 });
    expect((await database.purge()).deleted).to.include({ session: 1 });
  });
});
