import { setImmediate } from 'node:timers/promises';
import { invalidToken, listQuery, makeUseCases, unavailable } from '@chapter/domain/api';
import { deleteUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { acting, refusal, unasked, useChapter } from './setup.ts';

const everything = listQuery<'id' | 'username'>({ searched: ['username'], order: ['username'] });

describe('Reading use cases', () => {
  const chapter = useChapter();

  it('return the rows and records that were asked for, in order', async () => {
    const { useCases, lead, user, north, south, admit } = chapter;
    const leader = acting(lead);
    const staff = acting(await admit('staff', [], { isStaff: true, division: south }));
    const users = ['guest', 'lead', 'user'];
    const listed = await useCases.listUsers(leader, () => everything);
    expect(listed.items.map(({ username }) => username)).to.deep.equal(users);
    const ofDivision = await useCases.listDivisionUsers(leader, north.id, () => everything);
    expect(ofDivision.items.map(({ username }) => username)).to.deep.equal(users);
    const divisions = await useCases.listDivisions(staff, () => listQuery<'name'>({ order: ['-name'] }));
    expect(divisions.items.map(({ name }) => name)).to.deep.equal(['South', 'North']);
    expect(await useCases.getUser(leader, user.id)).to.deep.equal(user);
    expect(await useCases.getDivision(leader, north.id)).to.deep.equal(north);
  });

  it('report the error of a caller who is being looked up, and no other', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listener);
    const { getUser } = makeUseCases({
      ...chapter.world,
      users: { ...chapter.world.users, find: () => Promise.reject(unavailable()) },
    });
    await refusal('invalid_token', () => getUser(Promise.reject(invalidToken()), chapter.user.id));
    // Unhandled rejections are reported after the microtasks.
    await setImmediate();
    process.off('unhandledRejection', listener);
    expect(unhandled).to.deep.equal([]);
  });

  it('listGroups returns all groups in order to every caller', () => {
    const groups = chapter.useCases.listGroups(acting(chapter.user));
    expect(groups.map(({ name }) => name)).to.deep.equal(['Leader', 'Guest', 'User']);
    for (const { description } of groups) expect(description).to.match(/^[A-Z].+\.$/);
  });

  it('getInfo returns the caller and the address of the service', async () => {
    const { useCases, user, world, lead } = chapter;
    expect(await useCases.getInfo(acting(user))).to.deep.equal({
      id: user.id,
      username: 'user',
      divisionName: 'North',
      publicIp: '192.0.2.1',
    });
    await deleteUser(world, user.id, { userId: lead.id, name: 'lead', requestId: null });
    await refusal('invalid_token', () => useCases.getInfo(acting(user)));
  });

  it('getOwnUser returns the caller', async () => {
    const { useCases, user, world } = chapter;
    expect(await useCases.getOwnUser(acting(user))).to.deep.equal(user);
    await deleteUser(world, user.id, { userId: user.id, name: 'user', requestId: null });
    await refusal('invalid_token', () => useCases.getOwnUser(acting(user)));
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
    const { listDivisionUsers } = makeUseCases({ ...world, divisions });
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
