import { expect } from 'chai';
import { useServiceBehindNetwork } from '../security/behind-network.ts';

describe('The trips to the database', () => {
  const chapter = useServiceBehindNetwork();
  const password = 'a long enough secret';

  it('are one for a read, two for a list, three for a change, and one more for a change of a Leader', async () => {
    const { leader, network } = chapter();
    const count = async (method: string, path: string, body?: object): Promise<number> => {
      const before = network.trips;
      expect((await leader(method, path, body)).status).to.be.within(200, 204);
      return network.trips - before;
    };
    const admit = async (username: string, groups: readonly string[]) =>
      (await leader('POST', '/api/users/', { username, password, groups })).body;
    const { id, division } = await admit('counted', ['User']);
    const { id: leaderId } = await admit('counted-leader', ['Leader']);
    // Opens a second connection: the look-ups of a caller and of a division leave together on two.
    await count('GET', `/api/divisions/${division.id}/`);
    expect({
      read: await count('GET', `/api/users/${id}/`),
      list: await count('GET', '/api/users/'),
      permissions: await count('GET', '/api/auth/permissions/'),
      permissionsOnUser: await count('GET', `/api/auth/permissions/?user=${id}`),
      change: await count('PATCH', `/api/users/${id}`, { last_name: 'King' }),
      ofLeader: await count('PATCH', `/api/users/${leaderId}`, { last_name: 'King' }),
      deletion: await count('DELETE', `/api/users/${id}`),
      divisionRead: await count('GET', `/api/divisions/${division.id}/`),
      divisionChange: await count('PATCH', `/api/divisions/${division.id}`, { logo: 'https://example.org/logo' }),
    }).to.deep.equal({
      read: 1,
      list: 2,
      permissions: 1,
      permissionsOnUser: 1,
      change: 3,
      ofLeader: 4,
      deletion: 3,
      divisionRead: 2,
      divisionChange: 4,
    });
  });
});
