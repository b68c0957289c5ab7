import { makeRoutes } from '@chapter/adapters-http';
import type { UseCases } from '@chapter/domain/api';
import { expect } from 'chai';
import { useServedChapter } from '../support/chapter.ts';
import { faultsOf, type Sending } from '../support/send.ts';

const ABSENT = '0190a000-0000-7000-8000-00000000000f';
const json = { 'content-type': 'application/json' };
const text = { 'content-type': 'text/plain' };
const stale = { 'if-match': '"0"' };

/** From the last check to the first: each request passes all checks before its own, and fails its own and all later ones. */
const wrong: [string, Sending, number, string][] = [
  ['a taken username with a stale tag', { json: { username: 'guest' }, headers: stale }, 412, 'precondition_failed'],
  ['a taken username', { json: { username: 'guest' } }, 409, 'username_taken'],
  ['an invalid field with a stale tag', { json: { username: '' }, headers: stale }, 422, 'validation_failed'],
  ['a forbidden field and an invalid one', { json: { division: ABSENT, username: '', x: 1 } }, 403, 'field_forbidden'],
  [
    'a duplicate forbidden field',
    { raw: `{"username":"","division":"${ABSENT}","division":"${ABSENT}"}`, headers: json },
    403,
    'field_forbidden',
  ],
  ['a duplicate name', { raw: '{"username":"a","username":"b"}', headers: json }, 422, 'validation_failed'],
  ['a body nested too deeply', { raw: `${'['.repeat(33)}${']'.repeat(33)}`, headers: json }, 400, 'malformed_json'],
  ['a malformed body', { raw: '{"division":', headers: json }, 400, 'malformed_json'],
  ['a malformed body of another media type', { raw: '{', headers: text }, 415, 'unsupported_media_type'],
  ['a large body', { raw: `{"x":"${'x'.repeat(65_536)}`, headers: json }, 413, 'body_too_large'],
];

describe('The order of checks', () => {
  const chapter = useServedChapter({ each: true });

  for (const [description, sending, status, code] of wrong) {
    it(`rejects ${description} of an authorized caller with ${status}`, async () => {
      const { send, leader, user } = chapter;
      const response = await send('PATCH', `/api/users/${user.id}`, { ...sending, as: leader });
      expect(response.status).to.equal(status);
      expect(response.body.code).to.equal(code);
    });

    it(`reveals nothing about ${description} to an unauthorized caller`, async () => {
      const { send, guest, groupless, southLeader, user } = chapter;
      const path = `/api/users/${user.id}`;
      const as = (caller: typeof user | undefined) => send('PATCH', path, { ...sending, as: caller });
      expect(await as(undefined)).to.include({ status: 401 });
      expect(await as(guest)).to.include({ status: 403 });
      expect(await as(groupless)).to.include({ status: 404 });
      expect(await as(southLeader)).to.include({ status: 404 });
      expect(await send('PATCH', `${path}/`, { ...sending, as: guest })).to.include({ status: 405 });
      expect(await send('PATCH', `${path}//`, { ...sending, as: guest })).to.include({ status: 404 });
    });
  }

  it('reports all other faults at once: parameters, headers, fields', async () => {
    const { send, leader } = chapter;
    const response = await send('POST', '/api/users/?x=1&x=2', {
      as: leader,
      json: { username: 7, password: 'short', is_staff: true, emial: 'x', birthdate: '2023-02-30', first_name: null },
      headers: { 'idempotency-key': 'ü' },
    });
    expect(response.status).to.equal(422);
    expect(faultsOf(response)).to.have.members([
      'x duplicate',
      'x unknown_parameter',
      'Idempotency-Key invalid_format',
      'emial unknown_field',
      'username invalid_type',
      'first_name invalid_type',
      'password too_short',
      'is_staff read_only',
      'birthdate invalid_format',
    ]);
  });

  it('checks permission before the parameters of a list', async () => {
    const { get, user, admin, north, southLeader } = chapter;
    expect(await get('/api/users/?page_size=0', user)).to.include({ status: 403 });
    expect(await get('/api/divisions/?page_size=0', user)).to.include({ status: 403 });
    expect(await get(`/api/division/${north.id}/users/?page_size=0`, southLeader)).to.include({ status: 404 });
    expect(await get(`/api/division/${north.id}/users/?page_size=0`, admin)).to.include({ status: 403 });
    expect(await get(`/api/users/${admin.id}/?x=1`, user)).to.include({ status: 404 });
  });

  it('rejects unknown parameters on every path', async () => {
    const { admin, leader, north, send, user } = chapter;
    for (const { method, operationId, path } of makeRoutes({} as UseCases)) {
      // Each needs the id of a session or of a token, which their own tests have.
      if (operationId === 'endOwnSession' || operationId === 'endAccessToken') continue;
      const target = path.replace('{id}', path.startsWith('/api/division') ? north.id : user.id);
      const as = operationId === 'listDivisions' ? admin : leader;
      const sending = method === 'GET' ? { as } : { as, json: {} };
      const response = await send(method, `${target}?nonsense=x`, sending);
      expect([response.status, faultsOf(response)[0]], operationId).to.deep.equal([422, 'nonsense unknown_parameter']);
    }
  });
});
