import { type Author, addSeconds, OPERATOR } from '../../model/user.ts';
import type { AuditFilter } from '../../ports/audit-log.ts';
import { aDivision, aLeader, aUser } from '../builders/builders.ts';
import { asNewUser, changeDivision, changeUser, deleteUser, storeDivision, storeUser } from '../builders/store.ts';
import type { World } from '../in-memory/world.ts';
import { type ContractCase, contractCase } from './contract-case.ts';
import { expectEqual } from './expect.ts';

/** Writes five entries, a minute apart, about two divisions and two users. Two of them are by Ada. */
const writeEntries = async (world: World) => {
  const [north, south] = [aDivision(), aDivision()];
  const minute = async <T>(work: Promise<T>): Promise<T> => {
    const done = await work;
    world.clock.advance(60);
    return done;
  };
  const start = world.clock.now();
  await minute(storeDivision(world, north));
  await minute(storeDivision(world, south));
  const ada = await minute(storeUser(world, aLeader().of(north)));
  const byAda: Author = { userId: ada.id, name: ada.username, requestId: null };
  const bob = aUser().of(north);
  await minute(world.users.create(byAda, asNewUser(bob), () => {}));
  await minute(deleteUser(world, bob.id, byAda));
  return { start, north, south, ada, bob };
};

const actions = async ({ audit }: World, filter: Partial<AuditFilter> = {}) =>
  (await audit.list({ limit: 100, ...filter })).map(({ action }) => action);

/** Contract cases for every audit log. The contracts of the repositories cover which entries they write. */
export const auditLogContract: readonly ContractCase[] = [
  contractCase('lists entries of the same instant in reverse order of writing', async (world) => {
    const targets = [aDivision(), aDivision(), aDivision(), aDivision()];
    for (const target of targets) await storeDivision(world, target);
    const listed = (await world.audit.list({ limit: 10 })).map(({ targetId }) => targetId);
    expectEqual(listed, targets.map(({ id }) => id).toReversed());
  }),

  contractCase('lists the entries that match all parts of the filter', async (world) => {
    const { ada, bob, start, north, south } = await writeEntries(world);
    const minutes = (count: number) => addSeconds(start, count * 60);
    const ofUsers = ['deleteUser', 'createUser', 'createUser'];
    const combined = { userIds: [ada.id], divisionId: north.id, since: minutes(3) };
    const rows: readonly (readonly [Partial<AuditFilter>, readonly string[]])[] = [
      [{ userIds: [ada.id] }, ofUsers],
      [{ userIds: [bob.id] }, ['deleteUser', 'createUser']],
      [{ userIds: [world.ids.next()] }, []],
      [{ divisionId: north.id }, [...ofUsers, 'createDivision']],
      [{ divisionId: south.id }, ['createDivision']],
      [{ since: minutes(4) }, ['deleteUser']],
      [{ since: minutes(0) }, [...ofUsers, 'createDivision', 'createDivision']],
      [{ since: minutes(5) }, []],
      [{ since: minutes(3), until: minutes(4) }, ['createUser']],
      [combined, ['deleteUser', 'createUser']],
      [{ ...combined, limit: 1 }, ['deleteUser']],
      [{ ...combined, action: 'createUser' }, ['createUser']],
      [{ userIds: [bob.id], divisionId: south.id }, []],
    ];
    for (const [filter, expected] of rows) expectEqual(await actions(world, filter), expected, JSON.stringify(filter));
  }),

  contractCase('names the target as it was called after each change', async (world) => {
    const ada = await storeUser(world, aUser().with({ username: 'Ada' }));
    const { division } = ada;
    await changeUser(world, ada.id, { firstName: 'A' });
    await changeUser(world, ada.id, { username: 'Countess' });
    await changeDivision(world, division.id, { name: 'Renamed' });
    const namesOf = async () => (await world.audit.list({ limit: 10 })).map(({ targetName }) => targetName);
    expectEqual(await namesOf(), ['Renamed', 'Countess', 'Ada', 'Ada', division.name]);
    world.clock.advance(1);
    await world.erasure.pruneAudit(OPERATOR, world.clock.now());
    await changeUser(world, ada.id, { firstName: 'B' });
    await changeDivision(world, division.id, { logo: 'https://example.org/logo' });
    expectEqual(await namesOf(), ['Renamed', 'Countess', null]);
    await changeUser(world, ada.id, { username: 'Lady' });
    expectEqual(await namesOf(), ['Lady', 'Renamed', 'Countess', null]);
    await deleteUser(world, ada.id);
    expectEqual(await namesOf(), ['Lady', 'Lady', 'Renamed', 'Countess', null]);
  }),

  contractCase('finds users by any name that they have or had, also renamed and deleted users', async (world) => {
    const { ada, bob } = await writeEntries(world);
    await changeUser(world, ada.id, { username: 'Countess' });
    const taker = await storeUser(world, aUser().with({ username: ada.username }));
    const named = async (name: string) => (await world.audit.findUsersByName(name)).toSorted();
    expectEqual(await named(ada.username.toLowerCase()), [ada.id, taker.id].toSorted());
    expectEqual(await named('countess'), [ada.id]);
    expectEqual(await named(bob.username.toLowerCase()), [bob.id]);
    expectEqual(await named('no-one'), []);
  }),

  contractCase('finds users by a former name of which only the change is left', async (world) => {
    const ada = await storeUser(world, aUser().with({ username: 'Ada' }));
    await storeUser(world, aUser());
    world.clock.advance(1);
    await world.erasure.pruneAudit(OPERATOR, world.clock.now());
    await changeUser(world, ada.id, { username: 'countess' });
    expectEqual(await world.audit.findUsersByName('ada'), [ada.id]);
  }),

  contractCase('never changes an entry, even if author and target are changed or deleted', async (world) => {
    const { ada, bob, north } = await writeEntries(world);
    const before = await world.audit.list({ userIds: [bob.id], limit: 10 });
    await changeUser(world, ada.id, { username: 'renamed' });
    await changeDivision(world, north.id, { name: 'Renamed' });
    await deleteUser(world, ada.id);
    expectEqual(await world.audit.list({ userIds: [bob.id], limit: 10 }), before);
    const authors = before.map(({ authorId, authorName }) => `${authorId} ${authorName}`);
    expectEqual(authors, Array(2).fill(`${ada.id} ${ada.username}`));
  }),
];
