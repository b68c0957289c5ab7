import { deleteUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { useServedChapter } from '../support/chapter.ts';
import { faultsOf } from '../support/send.ts';

const PATH = '/api/auth/permissions/';

describe('The permissions of a caller', () => {
  const chapter = useServedChapter({ each: true });

  it('are read with the names of the API, for a target whose id is in any letter case', async () => {
    const { admin, get, guest, leader, north, user } = chapter;
    const everywhere = { name: 'listDivisions', scope: 'all', exact: true };
    expect((await get(PATH, admin)).body.actions).to.deep.include(everywhere);
    const { body, headers } = await get(`${PATH}?user=${user.id.toUpperCase()}`, leader);
    expect(headers['cache-control']).to.equal('no-store');
    expect(headers).to.not.have.property('etag');
    const scope = [{ id: leader.id }, { division_id: north.id }];
    expect(body.actions).to.deep.include({ name: 'updateUser', scope, exact: true });
    expect(body.writable_fields).to.deep.include({ name: 'first_name', scope, exact: true });
    const inDivision = [{ division_id: north.id }];
    expect(body.writable_fields).to.deep.include({ name: 'is_active', scope: inDivision, exact: true });
    expect(body.target.writable_fields).to.include.members(['last_name', 'is_active', 'current_password']);
    const ofDivision = (await get(`${PATH}?division=${north.id}`, leader)).body.target;
    expect(ofDivision.writable_fields).to.deep.equal(['name', 'logo', 'fanpage']);
    const decision = (await get(`${PATH}?user=${user.id}`, guest)).body.target.decisions.find(
      ({ action }: { action: string }) => action === 'deleteUser',
    );
    const { body: refused } = await chapter.send('DELETE', `/api/users/${user.id}`, { as: guest });
    expect(decision).to.deep.equal({ action: 'deleteUser', outcome: refused.code, reason: refused.detail });
  });

  it('are refused for two targets, and for faults of the query, after the check of the caller', async () => {
    const { get, leader, north, user, world } = chapter;
    const queries: Readonly<Record<string, readonly string[]>> = {
      [`user=${user.id}&division=${north.id}`]: ['division unknown_parameter'],
      [`user=x&division=${north.id}`]: ['division unknown_parameter', 'user invalid_format'],
      [`user=${user.id}&user=${leader.id}`]: ['user duplicate'],
      [`division=${north.id}&division=${north.id}`]: ['division duplicate'],
      user: ['user invalid_format'],
      'user=&division=': ['division unknown_parameter', 'user invalid_format'],
      [`user=${user.id},${leader.id}`]: ['user invalid_format'],
      [`user=${user.id}%00`]: ['user invalid_format'],
      'user=%ff': ['user invalid_format'],
      [`users=${user.id}`]: ['users unknown_parameter'],
      [`user=${'a'.repeat(23 * 1024)}`]: ['user invalid_format'],
    };
    for (const [query, faults] of Object.entries(queries)) {
      const response = await get(`${PATH}?${query}`, leader);
      expect([response.status, faultsOf(response)], query.slice(0, 100)).to.deep.equal([422, faults]);
      expect(await get(`${PATH}?${query}`)).to.include({ status: 401 });
    }
    expect(await get(PATH, user)).to.include({ status: 200 });
    await deleteUser(world, user.id, { userId: user.id, name: 'user', requestId: null });
    for (const query of ['', `?user=${user.id}`, '?user=x']) {
      expect(await get(PATH + query, user), query).to.include({ status: 401 });
    }
  });

  it('follow a change of the rights at once, with the same token', async () => {
    const { get, guest, leader, send, user } = chapter;
    const namesOf = async () =>
      (await get(PATH, guest)).body.actions.map(({ name }: { name: string }) => name) as string[];
    expect(await namesOf())
      .to.include('listUsers')
      .and.not.include('deleteUser');
    await send('PATCH', `/api/users/${guest.id}`, { as: leader, json: { groups: ['Leader'] } });
    expect(await namesOf()).to.include('deleteUser');
    await send('PATCH', `/api/users/${guest.id}`, { as: leader, json: { groups: [] } });
    expect(await namesOf()).to.not.include('listUsers');
    expect(await get(`${PATH}?user=${user.id}`, guest)).to.include({ status: 404 });
  });
});
