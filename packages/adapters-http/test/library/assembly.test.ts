import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { aDivision, aLeader, fakeHash, storeDivision, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { makeServer } from './assembly.ts';

describe('The example of an assembly in the README', () => {
  it('serves the API', async () => {
    const { server, ports } = makeServer({ info: () => {}, warn: () => {}, error: () => {} });
    const north = await storeDivision(ports, aDivision());
    const ada = aLeader().of(north).with({ id: ports.ids.next(), username: 'ada' });
    await storeUser(ports, ada, fakeHash('a password'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const request = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
      const body = JSON.stringify({ username: 'ada', password: 'a password' });
      const response = await fetch(`http://127.0.0.1:${port}/api/auth/login/`, { ...request, body });
      expect(response.status).to.equal(200);
      expect(await response.json()).to.have.property('access_token');
    } finally {
      server.close();
    }
  });
});
