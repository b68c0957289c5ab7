import {
  anyOf,
  asTarget,
  can,
  defineTarget,
  makeActor,
  makeCan,
  makeScope,
  rowsFor,
  rules,
  type Scope,
  scope,
  scopedRule,
  scopeToSql,
  where,
} from '@chapter/domain';
import { aDivision, aLeader, aUser, targetsOf, type World } from '@chapter/domain/testing';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { loadRows } from '../../../../test-support/lists/load-rows.ts';
import { compare } from '../../../../test-support/proof/report.ts';
import { viewByUseCases } from '../../../../test-support/proof/views.ts';
import {
  afterMove,
  anyMove,
  type Move,
  type SmallWorld,
  smallWorld,
  viewByPolicy,
} from '../../../../test-support/proof/worlds.ts';
import { runs } from '../../../../test-support/properties.ts';
import { useWorld } from '../support/use-world.ts';

const { numRuns: WORLDS } = runs(1000);

/** Does the work for each item, eight at a time. */
const forEach = async <T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> => {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
};

describe('PostgreSQL with a thousand worlds in one database', function () {
  this.timeout(1_800_000);
  const world = useWorld();

  const storeAll = (worlds: readonly SmallWorld[]): Promise<unknown> =>
    loadRows(
      world().database,
      worlds.flatMap(({ divisions }) => divisions),
      worlds.flatMap(({ people }) => people),
    );

  /** Compares the view of one person with the view that the policy allows. Returns the number of responses. */
  const expectView = async (ports: World, small: SmallWorld, { nth }: Move): Promise<number> => {
    const person = small.people[nth % small.people.length] ?? expect.fail();
    const view = viewByPolicy(small, person);
    expect(await viewByUseCases(ports, small, person)).to.deep.equal(view);
    return Object.keys(view).length;
  };

  it('shows all users exactly what the policy allows, before and right after a user moves', () =>
    compare('responses of PostgreSQL compared with the policy', 10 * WORLDS, async ({ add }) => {
      const cases = fc.sample(fc.tuple(smallWorld, anyMove, anyMove), { numRuns: WORLDS, seed: 20_260_115 });
      await storeAll(cases.map(([small]) => small));
      await forEach(cases, async ([small, move, other]) => {
        add(await expectView(world(), small, other));
        const { mover, world: moved } = afterMove(small, move);
        await world().sql.query('update user_account set division_id = $2, version = version + 1 where id = $1', [
          mover.id,
          mover.divisionId,
        ]);
        add(await expectView(world(), moved, other));
      });
    }));

  it('finds with the SQL of a scope exactly the users and divisions that the policy allows', () =>
    compare('rows found by the SQL of scopes, compared with the policy', 100, async ({ add }) => {
      const worlds = fc.sample(smallWorld, { numRuns: 40, seed: 20_261_122 });
      await storeAll(worlds);
      const find = async (set: Scope, from: string, columns: Parameters<typeof scopeToSql>[1]) => {
        const { text, parameters } = scopeToSql(set, columns);
        const { rows } = await world().sql.query<{ id: string }>(`select id from ${from} where ${text} order by id`, [
          ...parameters,
        ]);
        return rows.map(({ id }) => id);
      };
      await forEach(worlds, async ({ divisions, people }) => {
        for (const actor of people) {
          for (const action of ['getUser', 'updateUser', 'deleteUser'] as const) {
            const allowed = people.filter((person) => can(actor, action, asTarget(person))).map(({ id }) => id);
            const columns = { divisionId: 'u.division_id', id: 'u.id' };
            const ids = await find(scope(actor, action), 'user_account u', columns);
            expect(ids, action).to.deep.equal(allowed.toSorted());
            add(ids.length);
          }
          const known = divisions.filter(({ id }) => can(actor, 'getDivision', { divisionId: id }));
          const allowed = known.map(({ id }) => id);
          const columns = { divisionId: 'id' };
          expect(await find(scope(actor, 'getDivision'), 'division', columns)).to.deep.equal(allowed);
        }
      });
    }));

  it('finds with the SQL of conditions exactly the things that a policy of another service allows', () =>
    compare('things found by the SQL of conditions, compared with a policy', 400, async ({ same }) => {
      const thing = defineTarget({
        ownerId: 'uuid',
        divisionId: 'uuid or null',
        level: 'integer',
        note: 'text or null',
        open: 'boolean',
      });
      const peer = scopedRule('a peer', [
        { level: { actor: 'level' }, note: { actor: 'note' } },
        { level: 0, note: null },
      ]);
      const allows = anyOf(
        rules.owner,
        where(rules.leader, 'a Leader', { open: true }),
        where(peer, 'a peer', { open: false }),
      );
      const rows = { read: rowsFor(thing, allows)(allows) };
      const north = aDivision();
      const actorOf = (note: string | null) => makeActor({ ...(note ? aLeader() : aUser()).of(north), level: 7, note });
      const actors = ["it's; \\ $1 – ä", null].map(actorOf);
      const things = targetsOf(thing.attributes, allows.clauses, actors);
      const table =
        'jsonb_to_recordset($1) as t("ownerId" uuid, "divisionId" uuid, level bigint, note text, open boolean, at int)';
      const columns = Object.fromEntries(Object.keys(thing.attributes).map((name) => [name, `t.${name}`]));
      for (const actor of actors) {
        const { text, parameters } = scopeToSql(makeScope(rows)(actor, 'read'), columns, 2);
        const stored = JSON.stringify(things.map((one, at) => ({ ...one, at })));
        const found = await world().sql.query<{ at: number }>(`select at from ${table} where ${text}`, [
          stored,
          ...parameters,
        ]);
        const selected = new Set(found.rows.map(({ at }) => at));
        for (const [at, one] of things.entries())
          same(selected.has(at), makeCan(rows)(actor, 'read', one as never), { actor, one });
      }
    }));
});
