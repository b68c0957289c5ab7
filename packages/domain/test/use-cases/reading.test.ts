import { listQuery, makeListDivisionUsers } from '@chapter/domain';
import { expect } from 'chai';
import { acting, type Chapter, makeChapter, refusal, unasked } from './setup.ts';

const everything = listQuery<'id' | 'username'>({ searched: ['username'], order: ['username'] });

describe('Reading use cases', () => {
  let chapter: Chapter;
  beforeEach(async () => {
    chapter = await makeChapter();
  });

  it('listUsers returns the users of the own division to Leaders and Guests', async () => {
    for (const who of ['lead', 'guest'] as const) {
      const { items } = await chapter.useCases.listUsers(acting(chapter[who]), () => everything);
      expect(items.map(({ username }) => username)).to.deep.equal(['guest', 'lead', 'user']);
    }
    await refusal('forbidden', () => chapter.useCases.listUsers(acting(chapter.user), unasked));
  });

  it('listDivisionUsers returns them to Leaders and Guests of that division only', async () => {
    const { useCases, north, south } = chapter;
    const { items } = await useCases.listDivisionUsers(acting(chapter.guest), north.id, () => everything);
    expect(items).to.have.length(3);
    await refusal('forbidden', () => useCases.listDivisionUsers(acting(chapter.user), north.id, unasked));
    await refusal('not_found', () => useCases.listDivisionUsers(acting(chapter.lead), south.id, unasked));
    const staff = acting(await chapter.admit('staff', [], { isStaff: true }));
    await refusal('forbidden', () => useCases.listDivisionUsers(staff, south.id, unasked));
    await refusal('not_found', () => useCases.listDivisionUsers(staff, 'no such id', unasked));
  });

  it('listDivisions returns all divisions to Administrators only', async () => {
    const { useCases } = chapter;
    const query = listQuery<'name'>({ order: ['-name'] });
    const staff = acting(await chapter.admit('staff', [], { isStaff: true }));
    const { items } = await useCases.listDivisions(staff, () => query);
    expect(items.map(({ name }) => name)).to.deep.equal(['South', 'North']);
    await refusal('forbidden', () => useCases.listDivisions(acting(chapter.lead), unasked));
  });

  it('getUser returns a user to themself and to Leaders and Guests of the division', async () => {
    const { useCases, user, elsewhere, guest } = chapter;
    for (const who of ['user', 'lead', 'guest'] as const) {
      expect(await useCases.getUser(acting(chapter[who]), user.id)).to.deep.equal(user);
    }
    await refusal('not_found', () => useCases.getUser(acting(elsewhere), user.id));
    await refusal('not_found', () => useCases.getUser(acting(user), guest.id));
    await refusal('not_found', () => useCases.getUser(acting(guest), 'no such id'));
  });

  it('getDivision returns the division to its Leaders and Guests', async () => {
    const { useCases, north, south } = chapter;
    expect(await useCases.getDivision(acting(chapter.guest), north.id)).to.deep.equal(north);
    await refusal('forbidden', () => useCases.getDivision(acting(chapter.user), north.id));
    await refusal('not_found', () => useCases.getDivision(acting(chapter.guest), south.id));
  });

  it('listGroups returns all groups in order to every caller', () => {
    const groups = chapter.useCases.listGroups(acting(chapter.user));
    expect(groups.map(({ name }) => name)).to.deep.equal(['Leader', 'Guest', 'User']);
    for (const { description } of groups) expect(description).to.match(/^[A-Z].+\.$/);
  });

  it('listGroups and getInfo refuse an inactive caller', async () => {
    const { useCases, user } = chapter;
    const inactive = { ...acting(user), isActive: false };
    await refusal('invalid_token', () => useCases.listGroups(inactive));
    await refusal('invalid_token', () => useCases.getInfo(inactive));
  });

  it('getInfo returns the caller and the address of the service', async () => {
    const { useCases, user, world, lead } = chapter;
    expect(await useCases.getInfo(acting(user))).to.deep.equal({
      id: user.id,
      username: 'user',
      divisionName: 'North',
      publicIp: '192.0.2.1',
    });
    await world.users.delete({ userId: lead.id, name: 'lead', requestId: null }, user.id, () => {});
    await refusal('invalid_token', () => useCases.getInfo(acting(user)));
  });

  it('listDivisionUsers looks up the division only for callers who may not list it', async () => {
    const { world, north, guest, user } = chapter;
    const found: string[] = [];
    const divisions = {
      ...world.divisions,
      find: (id: string) => {
        found.push(id);
        return world.divisions.find(id);
      },
    };
    const listDivisionUsers = makeListDivisionUsers({ ...world, divisions });
    await listDivisionUsers(acting(guest), north.id, () => everything);
    expect(found).to.deep.equal([]);
    await refusal('forbidden', () => listDivisionUsers(acting(user), north.id, unasked));
    expect(found).to.deep.equal([north.id]);
  });

  it('listKeys returns the public keys', () => {
    const { useCases, world } = chapter;
    expect(useCases.listKeys()).to.deep.equal(world.accessTokens.keys());
    expect(useCases.listKeys().keys).to.have.length(1);
  });
});
