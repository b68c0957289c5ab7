import { OPERATOR, type Pause, type User } from '@chapter/domain/ports';
import { aLeader, aSession, aUser, rotate, storeUser, visitorHash } from '@chapter/domain/testing';
import { expect } from 'chai';
import { by, change } from '../support/changes.ts';
import { useBlockedWorld } from '../support/use-blockers.ts';

const CLIENTS = 12;
const POOL_SIZE = 10;
/** How many connections may wait for locks, and how many for those of one row. */
const [MAX_WAITING, MAX_WAITING_OF_AUTHOR, MAX_WAITING_FOR_ROW] = [5, 3, 2];

describe('While a row is locked, the writes that wait for it', () => {
  // They wait for their turn until the row is free, on a machine of any speed.
  const { world, blockers } = useBlockedWorld({ poolSize: POOL_SIZE, acquireTimeoutMs: 60_000 });
  let ada: User;
  let eve: User;
  let members: readonly User[];

  beforeEach(async () => {
    ada = await storeUser(world(), aLeader(), visitorHash);
    eve = await storeUser(world(), aLeader().of(ada.division), visitorHash);
    members = await Promise.all(
      Array.from({ length: CLIENTS }, () => storeUser(world(), aLeader().of(ada.division), visitorHash)),
    );
  });

  const startSession = async (user: User): Promise<void> => {
    expect(await aSession(world(), user, visitorHash)).to.include({ started: true });
  };
  /** Logs a user in, as far as the database is concerned. */
  const logIn = async (user: User): Promise<void> => {
    const attempt = await world().loginLimits.begin({ username: user.username }, '192.0.2.0/24');
    await startSession(user);
    await attempt.succeeded();
  };

  const holdRows = async (table: string, ids: readonly string[]) => {
    const blocker = await blockers.begin();
    await blocker.run(`select from ${table} where id = any($1) for update`, ids);
    return blocker;
  };
  const hold = (...users: readonly User[]) =>
    holdRows(
      'user_account',
      users.map(({ id }) => id),
    );

  const others: Readonly<Record<string, () => Promise<unknown>>> = {
    reads: () => Promise.all(Array.from({ length: POOL_SIZE }, () => world().divisions.find(ada.division.id))),
    'reads of the row': () => world().users.find(ada.id),
    changes: () => change(world(), by(eve), eve, { firstName: 'Eve' }),
    creations: () => storeUser(world(), aUser().of(ada.division)),
    'logins of others': () => logIn(eve),
    'rotations of tokens': () => rotate(world(), 'x'),
  };

  const writesOfOneRow: Readonly<Record<string, (at: number) => Promise<unknown>>> = {
    'changes of one user by that user': (at) => change(world(), by(ada), ada, { firstName: `Name ${at}` }),
    'changes of one user by many Leaders': (at) =>
      change(world(), by(members[at] ?? eve), ada, { firstName: `Name ${at}` }),
    'changes of many users by one Leader': (at) =>
      change(world(), by(ada), members[at] ?? eve, { firstName: `Name ${at}` }),
    // Without the counts of logins, which wait for a row of their own.
    'new sessions of one user': () => startSession(ada),
  };

  for (const [load, write] of Object.entries(writesOfOneRow)) {
    const max = load.endsWith('by one Leader') ? MAX_WAITING_OF_AUTHOR : MAX_WAITING_FOR_ROW;
    it(`hold at most ${max} of ${POOL_SIZE} connections, and all else goes on: ${load}`, async () => {
      const blocker = await hold(ada);
      const writes = Promise.allSettled(Array.from({ length: CLIENTS }, (_, at) => write(at)));
      await blockers.untilWaiting(max, writes);
      for (const [what, run] of Object.entries(others)) {
        await run();
        expect(await blockers.countWaiting(), what).to.be.at.most(max);
      }
      await blocker.commit();
      await writes;
      await change(world(), OPERATOR, ada, { firstName: 'Ada' });
    });
  }

  it(`hold at most ${MAX_WAITING_FOR_ROW} connections to end one session`, async () => {
    for (const end of [
      (id: string) => world().sessions.endOne(id, ada.id),
      (id: string) => world().users.endSessions(OPERATOR, ada.id, id),
    ]) {
      await startSession(ada);
      const [{ id } = expect.fail()] = await world().sessions.list(ada.id);
      const blocker = await holdRows('session', [id]);
      const writes = Promise.allSettled(Array.from({ length: CLIENTS }, () => end(id)));
      await blockers.untilWaiting(MAX_WAITING_FOR_ROW, writes);
      const use = { running: MAX_WAITING_FOR_ROW, waiting: CLIENTS - MAX_WAITING_FOR_ROW };
      expect(world().database.writeQueueUse()).to.deep.equal(use);
      await others['logins of others']?.();
      await blocker.commit();
      await writes;
    }
  });

  it(`hold at most ${MAX_WAITING_FOR_ROW} connections to count logins of one name, and others log in`, async () => {
    const begin = (user: User, network: string) => world().loginLimits.begin({ username: user.username }, network);
    await begin(ada, '192.0.2.0/24');
    const blocker = await blockers.begin();
    await blocker.run('select from login_limit for update');
    const begun = Promise.allSettled(Array.from({ length: CLIENTS }, () => begin(ada, '192.0.2.0/24')));
    await blockers.untilWaiting(MAX_WAITING_FOR_ROW, begun);
    await begin(eve, '198.51.100.0/24');
    expect(await blockers.countWaiting()).to.equal(MAX_WAITING_FOR_ROW);
    await blocker.commit();
    await begun;
  });

  it('give back the places of their requests, and store nothing if their clients have left', async () => {
    let [paused, isGone] = [0, false];
    const pause: Pause = (work) => {
      paused += 1;
      return work();
    };
    const origin = { requestId: null, network: null, pause, isAbandoned: () => isGone };
    const blocker = await hold(ada);
    const names = Array.from({ length: CLIENTS }, (_, at) => `Name ${at}`);
    const changes = names.map((firstName) => change(world(), { ...by(ada), origin }, ada, { firstName }));
    const ended = Promise.allSettled(changes);
    await blockers.untilWaiting(MAX_WAITING_FOR_ROW, ended);
    expect(paused).to.equal(CLIENTS - MAX_WAITING_FOR_ROW);
    isGone = true;
    await blocker.commit();
    const statuses = (await ended).map(({ status }) => status);
    expect(statuses).not.to.include('fulfilled');
    expect((await world().users.find(ada.id))?.firstName).to.equal(ada.firstName);
  });

  it(`hold at most ${MAX_WAITING} connections for all rows, so that reads go on`, async () => {
    const blocker = await hold(...members);
    const writes = Promise.allSettled(
      members.map((member, at) => change(world(), by(member), member, { firstName: `Name ${at}` })),
    );
    await blockers.untilWaiting(MAX_WAITING, writes);
    for (const what of ['reads', 'reads of the row'] as const) {
      await others[what]?.();
      expect(await blockers.countWaiting(), what).to.be.at.most(MAX_WAITING);
    }
    expect(world().database.writeQueueUse()).to.deep.include({ running: MAX_WAITING });
    await blocker.commit();
    await writes;
  });
});
