import { actorOf, addSeconds, authorOf, OPERATOR, type User } from '@chapter/domain/api';
import {
  aSession,
  asNewUser,
  aToken,
  aUser,
  makeSettableClock,
  storeToken,
  storeUser,
  visitorHash,
} from '@chapter/domain/testing';
import { expect } from 'chai';
import { useBlockedWorld } from '../support/use-blockers.ts';

const DAY_SECONDS = 24 * 60 * 60;

describe('purge', () => {
  const { world, blockers } = useBlockedWorld();

  const purge = async (): Promise<number> => {
    const { deleted, failures } = await world().database.purge();
    expect(failures).to.deep.equal({});
    return Object.values(deleted).reduce((sum, rows) => sum + rows, 0);
  };

  const counts = async (): Promise<Record<string, number>> => {
    const tables = [
      'session',
      'refresh_token',
      'idempotency_key',
      'password_link',
      'personal_token',
      'login_limit',
      'user_account',
    ];
    const { rows } = await world().sql.query<Record<string, number>>(
      `select ${tables.map((table) => `(select count(*)::int from ${table}) as ${table}`).join(', ')}`,
    );
    return rows[0] ?? {};
  };

  const begin = (user: User, days: number) => aSession(world(), user, visitorHash, { lifetime: days * DAY_SECONDS });

  it('has not run for an hour if a table has rows that expired before', async () => {
    const { connect, ids, plainUrl } = world();
    const database = connect({ url: plainUrl });
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
  });

  it('deletes expired rows and nothing else', async () => {
    const { clock, loginLimits, users } = world();
    const [user, other] = [await storeUser(world(), aUser(), visitorHash), await storeUser(world(), aUser())];
    const author = authorOf(actorOf(user));
    const expireAfter = async ({ id: userId }: User, name: string, days: number): Promise<void> => {
      const lifetime = days * DAY_SECONDS;
      await world().passwordLinks.create(OPERATOR, { userId, digest: name, lifetime }, () => {});
      await storeToken(world(), aToken(world(), user, { name, expiresAt: addSeconds(clock.now(), lifetime) }));
    };
    const create = (key: string) =>
      users.create(author, asNewUser(aUser().of(user.division)), () => {}, { key, request: '' });
    await begin(user, 1);
    await expireAfter(user, 'short', 1);
    await expireAfter(other, 'long', 2);
    await create('old');
    clock.advance(DAY_SECONDS / 2);
    await begin(user, 3);
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
      password_link: 1,
      personal_token: 1,
      login_limit: 2,
    });
    expect(await counts()).to.deep.equal({
      ...before,
      session: 1,
      refresh_token: 1,
      idempotency_key: 1,
      password_link: 1,
      personal_token: 1,
      login_limit: 0,
    });
    expect((await world().passwordLinks.find('long'))?.user.id).to.equal(other.id);
    expect((await world().personalTokens.list(user.id)).map(({ name }) => name)).to.deep.equal(['long']);
  });

  for (const [title, ahead] of [
    ['the instance', { instance: 16 * DAY_SECONDS, database: 0 }],
    ['the database', { instance: 0, database: 16 * DAY_SECONDS }],
  ] as const) {
    it(`deletes nothing that is valid by one clock when the clock of ${title} is 16 days ahead`, async () => {
      const { clock, connect, inTime, loginLimits, users } = world();
      const user = await storeUser(world(), aUser(), visitorHash);
      const author = authorOf(actorOf(user));
      await begin(user, 14);
      await users.create(author, asNewUser(aUser().of(user.division)), () => {}, { key: 'key', request: '' });
      await loginLimits.begin({ username: 'ada' }, '192.0.2.0/24');
      const before = await counts();
      const ownClock = makeSettableClock(clock.now());
      ownClock.advance(ahead.instance);
      clock.advance(ahead.database);
      const { deleted } = await inTime(connect({ clock: ownClock })).purge();
      expect(Object.values(deleted)).to.deep.equal([0, 0, 0, 0, 0, 0]);
      expect(await counts()).to.deep.equal(before);
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
    const user = await storeUser(world(), aUser(), visitorHash);
    const { digest } = await begin(user, 1);
    await begin(user, 1);
    world().clock.advance(DAY_SECONDS);
    const blocker = await blockers.begin();
    await blocker.run('select from refresh_token where digest = $1 for update', digest);
    const { deleted } = await world().database.purge();
    expect(deleted).to.include({ session: 2, refresh_token: 1 });
    await blocker.commit();
    expect((await world().database.purge()).deleted).to.include({ refresh_token: 1 });
  });

  it('reports a table that fails, and purges the others', async () => {
    const { clock, database, sql } = world();
    await begin(await storeUser(world(), aUser(), visitorHash), 1);
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
