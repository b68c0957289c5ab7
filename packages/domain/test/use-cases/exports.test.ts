import { type Actor, type DomainErrorCode, listQuery, type OpenExport, type User } from '@chapter/domain/ports';
import { changeUser, moveUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { acting, refusal, unasked, useChapter } from './setup.ts';

const byUsername = listQuery<'id' | 'username'>({ searched: ['username'], order: ['username'] });

const itemsOf = async <Item>(open: OpenExport<Item>): Promise<readonly Item[]> =>
  (await Array.fromAsync((await open()).batches)).flat();

describe('Use cases that export lists', () => {
  const chapter = useChapter();
  const actionsOf = async (): Promise<readonly string[]> =>
    (await chapter.world.audit.list({ limit: 100 }))
      .map(({ action }) => action)
      .filter((action) => action.startsWith('export'));

  it('listUsers exports the users of the own division for Leaders and Guests', async () => {
    const { listUsers } = chapter.useCases;
    for (const who of ['lead', 'guest'] as const) {
      const users = await itemsOf(await listUsers.export(acting(chapter[who]), () => byUsername));
      expect(users.map(({ username, division }) => [username, division.name])).to.deep.equal([
        ['guest', 'North'],
        ['lead', 'North'],
        ['user', 'North'],
      ]);
    }
    await refusal('forbidden', () => listUsers.export(acting(chapter.user), unasked));
    expect(await actionsOf()).to.deep.equal(['exportUsers', 'exportUsers']);
  });

  it('listDivisionUsers exports them for Leaders and Guests of that division only', async () => {
    const { useCases, north, south } = chapter;
    const { listDivisionUsers } = useCases;
    const users = await itemsOf(await listDivisionUsers.export(acting(chapter.guest), north.id, () => byUsername));
    expect(users).to.deep.equal(
      [chapter.guest, chapter.lead, chapter.user].map(({ id, username }) => ({ id, username })),
    );
    await refusal('forbidden', () => listDivisionUsers.export(acting(chapter.user), north.id, unasked));
    await refusal('not_found', () => listDivisionUsers.export(acting(chapter.lead), south.id, unasked));
    await refusal('not_found', () => listDivisionUsers.export(acting(chapter.lead), 'no such id', unasked));
    expect(await actionsOf()).to.deep.equal(['exportDivisionUsers']);
  });

  it('listDivisions exports all divisions for Administrators only, and records it for their division', async () => {
    const { useCases, world, north } = chapter;
    const staff = acting(await chapter.admit('staff', [], { isStaff: true }));
    const query = listQuery<'name'>({ order: ['-name'] });
    const divisions = await itemsOf(await useCases.listDivisions.export(staff, () => query));
    expect(divisions.map(({ name }) => name)).to.deep.equal(['South', 'North']);
    const [entry] = await world.audit.list({ limit: 1 });
    expect(entry).to.include({ action: 'exportDivisions', authorId: staff.id, divisionId: north.id });
    expect(entry).to.include({ requestId: 'request-1', authorName: 'staff' });
    await refusal('forbidden', () => useCases.listDivisions.export(acting(chapter.lead), unasked));
    await refusal('not_found', () => useCases.listDivisions.export({ ...staff, divisionId: null }, unasked));
  });

  /** How a caller loses rights between the request and the opening of the export. */
  const losses: readonly [title: string, (user: User) => unknown][] = [
    ['loses groups and flags', ({ id }) => changeUser(chapter.world, id, { groups: ['User'], isStaff: false })],
    ['moves to another division', ({ id }) => moveUser(chapter.world, id, chapter.south.id)],
  ];

  /** The code of each export after each loss; null if it is still allowed. */
  const exports: Readonly<
    Record<string, readonly [(actor: Actor) => Promise<OpenExport<unknown>>, ...(DomainErrorCode | null)[]]>
  > = {
    listUsers: [(actor) => chapter.useCases.listUsers.export(actor, () => byUsername), 'forbidden', 'not_found'],
    listDivisionUsers: [
      (actor) => chapter.useCases.listDivisionUsers.export(actor, chapter.north.id, () => byUsername),
      'forbidden',
      'not_found',
    ],
    listDivisions: [
      (actor) => chapter.useCases.listDivisions.export(actor, () => listQuery<'name'>({ order: ['name'] })),
      'forbidden',
      null,
    ],
  };

  for (const [name, [exportAll, ...codes]] of Object.entries(exports)) {
    for (const [at, [title, apply]] of losses.entries()) {
      const code = codes[at] ?? null;
      it(`${name} ${code ? `refuses with ${code} to open an` : 'opens an'} export if the caller ${title} in the meantime`, async () => {
        const isStaff = name === 'listDivisions';
        const who = await chapter.admit('who', isStaff ? [] : ['Leader'], { isStaff });
        const open = await exportAll(acting(who));
        await apply(who);
        if (code) await refusal(code, open);
        else await itemsOf(open);
        expect(await actionsOf()).to.have.lengthOf(code ? 0 : 1);
      });
    }
  }

  it('record nothing until the export is opened', async () => {
    await chapter.useCases.listUsers.export(acting(chapter.lead), () => byUsername);
    expect(await actionsOf()).to.deep.equal([]);
  });
});
