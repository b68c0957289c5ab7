import { connectPostgres, type Database } from '@chapter/adapters-postgres';
import { checkFields, type FieldChecks, userChecks } from '@chapter/domain/api';
import { deleteUser, makeFakePasswordHasher, makeSettableClock, passwordIn } from '@chapter/domain/testing';
import { expect } from 'chai';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { prepareDemo } from '../../../../test-support/demo-database.ts';
import { query } from '../../../../test-support/query.ts';
import { silentProgress } from '../../src/bulk/report.ts';
import {
  addDemoMembers,
  DEMO_IDS,
  DEMO_PASSWORD,
  demoMember,
  FIRST_NAMES,
  LAST_NAMES,
} from '../../src/database/demo-data.ts';
import { uuidIds } from '../../src/system/clock-and-ids.ts';

const { North } = DEMO_IDS.divisions;

describe('Demo members', () => {
  const test = useTestDatabase(prepareDemo, { each: true });
  let database: Database;
  const clock = makeSettableClock();
  beforeEach(() => {
    database = connectPostgres({ url: test.url, clock, ids: uuidIds });
  });
  afterEach(() => database.close());
  const add = (count: number, progress = silentProgress) =>
    addDemoMembers({ ...database, clock, hasher: makeFakePasswordHasher() }, count, progress);
  const members = () =>
    query(test.url, `select u.*, d.name from user_account u join division d on d.id = division_id order by u.id`);

  it('are the same in every database and alternate between the demo divisions', async () => {
    expect(await add(5)).to.deep.equal({ North: 3, South: 2 });
    const added = (await members()).filter(({ username }) => /\d$/.test(String(username)));
    expect(added.map(({ username, name }) => [username, name])).to.deep.equal([
      ['aiko.adeyemi1', 'North'],
      ['amara.ahmed2', 'South'],
      ['anders.andersson3', 'North'],
      ['anika.aydin4', 'South'],
      ['aylin.bauer5', 'North'],
    ]);
    for (const { password_hash: hash } of added) expect(passwordIn(String(hash))).to.equal(DEMO_PASSWORD);
    expect(await database.audit.list({ limit: 5 })).to.have.length(5);
  });

  it('continue after those of earlier calls, even if some of these were deleted', async () => {
    const before = (await members()).length;
    await add(3);
    const first = (await members()).find(({ username }) => username === 'aiko.adeyemi1');
    await deleteUser(database, String(first?.['id']));
    expect(await add(2)).to.deep.equal({ North: 1, South: 1 });
    expect((await members()).length - before).to.equal(4);
  });

  it('are added to the demo divisions of release 0.1.0, whose ids differ, and to an empty database', async () => {
    await query(test.url, 'delete from user_account');
    await query(test.url, `update division set id = gen_random_uuid() where name = 'South'`);
    expect(await add(2)).to.deep.equal({ North: 1, South: 1 });
    await query(test.url, 'delete from user_account');
    await query(test.url, 'delete from division');
    expect(await add(2)).to.deep.equal({ North: 1, South: 1 });
    expect(await members()).to.have.length(7);
  });

  it('are refused with one sentence if a username is taken or no demo division exists', async () => {
    await query(
      test.url,
      `update user_account set username = 'Amara.Ahmed2', username_key = 'amara.ahmed2' where username = 'user'`,
    );
    expect(await add(3).catch(String)).to.equal(
      'OperatorError: A user already has the name or email of a demo member (amara.ahmed2); change that user first.',
    );
    await query(test.url, 'delete from user_account');
    await query(test.url, `delete from division where name = 'South'`);
    await query(test.url, `update division set id = gen_random_uuid(), name = 'East', name_key = 'east'`);
    expect(await add(1).catch(String)).to.match(/^OperatorError: There is no demo division/);
  });

  it('report the progress of storing', async () => {
    const reported: unknown[] = [];
    await add(4, {
      begin: (what, total) => reported.push([what, total]),
      to: (stored) => reported.push(stored),
      end: () => {},
    });
    expect(reported).to.deep.equal([['Storing', 4], 0, 1, 2, 3, 4]);
  });

  it('have fields that pass the checks of users, up to the last member', () => {
    const checks = userChecks({ today: () => '2026-01-01', passwordMinLength: 8 }) as unknown as FieldChecks<object>;
    for (let number = 0; number < 100_000; number += number < 5000 ? 1 : 997) {
      const { username, email, firstName, lastName, groups, birthdate } = demoMember(number, North, '');
      const { faults } = checkFields(checks, { fields: { username, email, firstName, lastName, groups, birthdate } });
      expect(faults, username).to.deep.equal([]);
    }
  });

  it('have all possible pairs of names', () => {
    const pairs = new Set(
      Array.from({ length: FIRST_NAMES.length * LAST_NAMES.length }, (_, number) => {
        const { firstName, lastName } = demoMember(number, North, '');
        return `${firstName} ${lastName}`;
      }),
    );
    expect(pairs.size).to.equal(FIRST_NAMES.length * LAST_NAMES.length);
  });
});
