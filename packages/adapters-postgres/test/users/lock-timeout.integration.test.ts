import {
  actorOf,
  authorOf,
  isDomainError,
  listQuery,
  OPERATOR,
  type User,
  type UserListField,
} from '@chapter/domain/ports';
import { aDivision, aLeader, aUser, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { loadRows } from '../../../../test-support/lists/load-rows.ts';
import type { Database } from '../../src/index.ts';
import { by, change } from '../support/changes.ts';
import { useBlockedWorld } from '../support/use-blockers.ts';

/** Long enough for a client that waits less to end before. */
const LOCK_TIMEOUT_MS = 100;
const EVERYTHING = listQuery<UserListField>({ order: ['username'] });

describe('The lock timeout', () => {
  const { world, blockers } = useBlockedWorld();
  let database: Database;
  let leader: User;
  let member: User;

  // No other limit may end a statement.
  const urlOf = (url: string): string =>
    `${url.replace('lock_timeout=0', `lock_timeout=${LOCK_TIMEOUT_MS}`)}&statement_timeout=0`;
  beforeEach(async () => {
    const { connect, inTime, url } = world();
    database = inTime(connect({ url: urlOf(url) }));
    leader = await storeUser(world(), aLeader());
    member = await storeUser(world(), aUser().of(leader.division));
  });

  /** Locks the row of the member in another transaction. */
  const block = async () => {
    const blocker = await blockers.begin();
    await blocker.run('select from user_account where id = $1 for update', member.id);
    return blocker;
  };
  const expectLockTimeout = async (work: Promise<unknown>): Promise<void> => {
    const error = await work.catch((reason: unknown) => reason);
    if (!isDomainError(error)) expect.fail(`not a DomainError: ${String(error)}`);
    expect([error.code, error.retryAfter]).to.deep.equal(['unavailable', 1]);
    expect(String(error.cause)).to.include('SQLSTATE 55P03');
  };

  it('ends changes of a user whose row another transaction holds, and leaves usable connections', async () => {
    const blocker = await block();
    const ports = { ...world(), users: database.users };
    const rename = (name: string) => change(ports, by(leader), member, { firstName: name });
    await Promise.all(['Ada', 'Eve', 'Joe'].map((name) => expectLockTimeout(rename(name))));
    const { open } = database.poolUse();
    await blocker.commit();
    await rename('Ann');
    expect(database.poolUse().open).to.equal(open);
    expect((await world().users.find(member.id))?.firstName).to.equal('Ann');
  });

  it('ends the export of a list', async () => {
    const blocker = await blockers.begin();
    await blocker.run('lock table user_account in access exclusive mode');
    const author = authorOf(actorOf(leader));
    await expectLockTimeout(database.listExports.users(author, leader.division.id, EVERYTHING, () => {}));
    await blocker.commit();
  });

  for (const [work, run] of Object.entries({
    'an import': () => loadRows(database, [aDivision()], []),
    'an export by the operator': () =>
      database.exportInBulk(
        OPERATOR,
        { divisions: async (bytes) => void (await bytes.toArray()) },
        { withHashes: false },
      ),
  })) {
    it(`does not end ${work}`, async () => {
      const blocker = await blockers.begin();
      await blocker.run('lock table division, user_account in access exclusive mode');
      const running = run();
      await blockers.untilWaiting(1, running, 2 * LOCK_TIMEOUT_MS);
      await blocker.commit();
      await running;
    });
  }
});
