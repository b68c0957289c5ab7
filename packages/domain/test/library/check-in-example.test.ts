import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { aDivision, aGuest, aLeader, aUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { makeCheckIn } from './check-in-example.ts';

const [north, south] = [aDivision(), aDivision()];
const people = { leader: aLeader().of(north), guest: aGuest().of(north), member: aUser().of(north) };
const service = 'chapter-membership-service';

describe("The README's example of a check-in", () => {
  let server: Server;
  let sign: (subject: keyof typeof people, changes?: Readonly<Record<string, string>>) => Promise<string>;
  let checkIn: ReturnType<typeof makeCheckIn>;

  before(async () => {
    const { privateKey, publicKey } = await generateKeyPair('EdDSA');
    const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'a', alg: 'EdDSA' }] });
    server = createServer(({ url }, response) => response.end(url === '/api/auth/keys/' ? keys : '{}'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    checkIn = makeCheckIn(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    sign = (subject, { typ = 'at+jwt', aud = service, iss = service, sub } = {}) => {
      const { id, username, divisionId, groups, isStaff, isSuperuser } = people[subject];
      const claims = { division_id: divisionId, groups, is_staff: isStaff, is_superuser: isSuperuser };
      return new SignJWT({ ...claims, username })
        .setProtectedHeader({ alg: 'EdDSA', kid: 'a', typ })
        .setIssuer(iss)
        .setAudience(aud)
        .setSubject(sub ?? id)
        .setExpirationTime('1 minute')
        .sign(privateKey);
    };
  });
  after(() => server.close());

  it('lets members check in themselves, and Leaders others', async () => {
    const status = async (subject: keyof typeof people, member = people.member) =>
      (await checkIn(await sign(subject), member)).status;
    expect(await Promise.all([status('member'), status('leader'), status('guest')])).to.deep.equal([200, 200, 403]);
    expect(await status('leader', people.member.of(south))).to.equal(404);
    expect((await checkIn(await sign('guest'), people.member)).detail).to.equal(
      'only the user themself or a Leader of the division may do this',
    );
  });

  it('rejects tokens of another issuer, for another service or another purpose, and malformed claims', async () => {
    for (const [name, value] of [
      ['iss', 'another'],
      ['aud', 'another'],
      ['typ', 'JWT'],
    ] as const) {
      const error = await checkIn(await sign('leader', { [name]: value }), people.member).catch(
        (error: unknown) => error,
      );
      expect(error).to.have.property('claim', name);
    }
    expect((await checkIn(await sign('leader', { sub: 'ada' }), people.member)).status).to.equal(401);
  });
});
