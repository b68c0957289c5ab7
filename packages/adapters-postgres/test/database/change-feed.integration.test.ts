import { type ChangePosition, type DivisionId, isDomainError, OPERATOR, type User } from '@chapter/domain/ports';
import {
  aDivision,
  aUser,
  changeUser,
  moveUser,
  storeDivision,
  storeUser,
  untilSettled,
  type World,
} from '@chapter/domain/testing';
import { expect } from 'chai';
import { atLeast } from '../../../../test-support/counts.ts';
import { explainStatements } from '../../../../test-support/lists/explain.ts';
import { makeChangeFeed } from '../../src/audit/change-feed.ts';
import { makePool } from '../../src/connection/pool.ts';
import { connectPostgres } from '../../src/index.ts';
import { useBlockedWorld } from '../support/use-blockers.ts';

/** Follows the feed of a division like a client, and keeps what it delivers. */
const makePoller = ({ changes }: Pick<World, 'changes'>, divisionId: DivisionId, size = 2) => {
  const delivered: string[] = [];
  let position: ChangePosition = '';
  return {
    delivered,
    poll: async (): Promise<number> => {
      const before = delivered.length;
      for (let next: ChangePosition | null = position; next !== null; ) {
        const page = await changes.list(divisionId, { side: 'after', position: next, size });
        if (!page) throw new Error('the position is gone');
        delivered.push(...page.entries.map(({ id }) => id));
        ({ after: position, next } = page);
      }
      return delivered.length - before;
    },
  };
};

// Release 0.1.0 names these columns, and no others.
const INSERT = `insert into audit_entry (id, at, action, author_name, target_type, target_id, division_id, changes)
  values ($1, now(), 'updateUser', 'operator', 'user', $2, $3, '{}')`;

describe('The feed of changes', () => {
  const { world, blockers } = useBlockedWorld();
  let ada: User;
  beforeEach(async () => {
    ada = await storeUser(world(), aUser());
  });

  /** Begins a transaction that writes an entry like release 0.1.0, and does not commit. */
  const beginEntry = async ({ id: userId, division } = ada) => {
    const id = world().ids.next();
    const { run, commit } = await blockers.begin();
    await run(INSERT, id, userId, division.id);
    return { id, run, commit };
  };

  it('starts, from the list of newest entries, before an entry that is still to be delivered', async () => {
    const open = await beginEntry();
    await changeUser(world(), ada.id, { firstName: 'Later' });
    const newest = await world().changes.list(ada.division.id, { side: 'before', position: '', size: 1 });
    expect(newest?.entries.map(({ changes }) => Object.keys(changes))).to.deep.equal([['firstName']]);
    await open.commit();
    await untilSettled(world(), ada.division.id);
    const page = await world().changes.list(ada.division.id, { side: 'after', position: newest?.after ?? '', size: 9 });
    expect(page?.entries[0]?.id).to.equal(open.id);
    expect(page?.entries).to.have.lengthOf(2);
  });

  it('passes over no entry, and delivers each once, while transactions commit and roll back in any order', async () => {
    const divisions = [ada.division, await storeDivision(world(), aDivision())] as const;
    const pollers = divisions.map(({ id }) => makePoller(world(), id));
    const open: Awaited<ReturnType<typeof beginEntry>>[] = [];
    let moves = 0;
    // The numbers of a linear congruential generator: they look random and are always the same.
    for (let step = 0, state = 7; step < 150; step += 1) {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      const choice = Math.floor(state / 2 ** 16);
      const one = open[Math.floor(choice / 4) % Math.max(open.length, 1)];
      if (choice % 4 === 0 && open.length < 6) {
        open.push(await beginEntry({ ...ada, division: divisions[choice % 3 === 0 ? 1 : 0] }));
      } else if (choice % 4 === 1 && one) {
        open.splice(open.indexOf(one), 1);
        if (choice % 3 === 0) await one.run('rollback');
        await one.commit();
      } else if (choice % 5 === 0) {
        moves += 1;
        await moveUser(world(), ada.id, divisions[moves % 2 === 0 ? 0 : 1].id);
      } else await changeUser(world(), ada.id, { firstName: `${step}` });
      for (const { poll } of pollers) await poll();
    }
    for (const { commit } of open) await commit();
    for (const [at, { delivered, poll }] of pollers.entries()) {
      await untilSettled(world(), divisions[at]?.id ?? '');
      await poll();
      const { rows } = await world().sql.query<{ id: string }>(
        'select id from audit_entry where $1 in (division_id, left_division_id)',
        [divisions[at]?.id],
      );
      expect(delivered.toSorted()).to.deep.equal(rows.map(({ id }) => id).toSorted());
      expect(delivered).to.have.lengthOf.above(30);
    }
    expect(moves).to.be.above(5);
  });

  it('refuses to follow from an entry before which another may still appear', async () => {
    await untilSettled(world(), ada.division.id);
    const open = await beginEntry();
    await changeUser(world(), ada.id, { firstName: 'Later' });
    const newest = await world().changes.list(ada.division.id, { side: 'before', position: '', size: 1 });
    const position = newest?.next ?? '';
    const read = (side: 'after' | 'before') => world().changes.list(ada.division.id, { side, position, size: 9 });
    expect(await read('after')).to.equal(null);
    expect((await read('before'))?.entries).not.to.be.empty;
    await open.commit();
    await untilSettled(world(), ada.division.id);
    expect((await read('after'))?.entries).to.deep.equal([]);
  });

  it('refuses to read entries restored from another cluster, until the migration numbers them anew', async () => {
    const { changes, ownerUrl, clock, ids, sql } = world();
    const read = (position: ChangePosition, side: 'after' | 'before' = 'after') =>
      changes.list(ada.division.id, { side, position, size: 9 });
    await moveUser(world(), ada.id, (await storeDivision(world(), aDivision())).id);
    await untilSettled(world(), ada.division.id);
    const before = await read('');
    const owner = connectPostgres({ url: ownerUrl, clock, ids });
    // A backup of the table, and a copy of its rows, whose transactions this cluster has not reached.
    for (const restored of [
      `comment on table audit_entry is 'Transaction ids of cluster 1'`,
      `update audit_entry set xid = '99999999999' where id = '${before?.entries[0]?.id}'`,
      `update audit_entry set xid = '99999999999' where left_division_id is not null`,
    ]) {
      await sql.query(restored);
      for (const side of ['after', 'before'] as const) {
        const error: unknown = await read('', side).catch((reason: unknown) => reason);
        expect(isDomainError(error) && error.code, String(error)).to.equal('unavailable');
      }
      expect(await owner.migrations.up()).to.deep.equal([]);
      expect(await read(before?.after ?? '')).to.equal(null);
      await untilSettled(world(), ada.division.id);
    }
    const again = await read('');
    expect(again?.entries).to.deep.equal(before?.entries);
    await owner.migrations.up();
    await owner.close();
    await moveUser(world(), ada.id, ada.division.id);
    await untilSettled(world(), ada.division.id);
    expect((await read(again?.after ?? ''))?.entries).to.have.lengthOf(1);
  });

  it('has no page at a position of before a restore in the same cluster', async () => {
    await untilSettled(world(), ada.division.id);
    const read = (position: ChangePosition) =>
      world().changes.list(ada.division.id, { side: 'after', position, size: 9 });
    const { after = '' } = (await read('')) ?? {};
    expect((await read(after))?.entries).to.deep.equal([]);
    // Like a restore, this writes the same rows into another file.
    await world().sql.query('vacuum full audit_entry');
    expect(await read(after)).to.equal(null);
  });

  it('has no page at a position after which the trail was pruned, because a later transaction wrote with an earlier time', async () => {
    const read = (position: ChangePosition) =>
      world().changes.list(ada.division.id, { side: 'after', position, size: 1 });
    const write = (id: string, at: string) =>
      world().sql.query(INSERT.replace('now()', '$4'), [id, ada.id, ada.division.id, at]);
    const [kept, pruned] = [world().ids.next(), world().ids.next()];
    await world().erasure.pruneAudit(OPERATOR, '2999-01-01T00:00:00.000Z');
    await write(kept, '2026-01-01T00:00:02.000Z');
    await write(pruned, '2026-01-01T00:00:01.000Z');
    await untilSettled(world(), ada.division.id);
    const { after = '', entries } = (await read('')) ?? {};
    expect(entries?.map(({ id }) => id)).to.deep.equal([kept]);
    expect(await world().erasure.pruneAudit(OPERATOR, '2026-01-01T00:00:00.500Z')).to.equal(0);
    expect((await read(after))?.entries[0]?.id).to.equal(pruned);
    expect(await world().erasure.pruneAudit(OPERATOR, '2026-01-01T00:00:01.500Z')).to.equal(1);
    expect(await read(after)).to.equal(null);
    const again = await read('');
    expect(again?.entries).to.deep.equal(entries);
    expect((await read(again?.after ?? ''))?.entries).to.deep.equal([]);
  });

  it('has no page at a position that was read during a prune that removed a later entry', async () => {
    const { changes, clock, erasure, ids } = world();
    const read = (position: ChangePosition) => changes.list(ada.division.id, { side: 'after', position, size: 3 });
    const [open, kept] = [await blockers.begin(), ids.next()];
    await open.run(INSERT.replace('now()', `now() + interval '1 hour'`), kept, ada.id, ada.division.id);
    await changeUser(world(), ada.id, { firstName: 'Pruned' });
    clock.advance(60);
    const analyzing = await blockers.begin();
    await analyzing.run('lock table user_account in share update exclusive mode');
    const pruned = erasure.pruneAudit(OPERATOR, clock.now());
    await blockers.untilWaiting(1, pruned);
    await open.commit();
    const { after = '', entries } = (await read('')) ?? {};
    expect(entries?.at(-1)?.id).to.equal(kept);
    await analyzing.commit();
    expect(await pruned).to.equal(3);
    expect(await read(after)).to.equal(null);
  });

  it('reads few pages of memory for a page, however large the audit trail is', async () => {
    const { sql } = world();
    const many = await storeDivision(world(), aDivision());
    await sql.query(
      `insert into audit_entry (id, at, action, author_name, target_type, target_id, division_id, left_division_id, changes)
        select gen_random_uuid(), now(), 'moveUser', 'operator', 'user', $1, $2, case when n % 3 = 0 then $3::uuid end, '{}'
          from generate_series(1, 60000) n`,
      [ada.id, many.id, world().ids.next()],
    );
    await sql.query('analyze audit_entry');
    const pool = makePool({ url: world().plainUrl });
    for (const mode of ['force_custom_plan', 'force_generic_plan'] as const) {
      const explained = await explainStatements(pool, mode, async (runner) => {
        const feed = makeChangeFeed(runner);
        for (const { id } of [ada.division, many]) {
          const page = await feed.list(id, { side: 'after', position: '', size: 1 });
          await feed.list(id, { side: 'after', position: page?.after ?? '', size: 10 });
          await feed.list(id, { side: 'before', position: '', size: 10 });
        }
      });
      for (const { plan, statement } of atLeast(6, explained)) {
        expect(plan['Shared Hit Blocks'], `${mode}: ${statement.text}`).to.be.below(150);
      }
    }
    await pool.end();
  });
});
