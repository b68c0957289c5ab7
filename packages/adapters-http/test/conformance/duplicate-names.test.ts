import { expect } from 'chai';
import { useServedChapter } from '../support/chapter.ts';
import { faultsOf } from '../support/send.ts';

describe('A body with duplicate names', () => {
  const chapter = useServedChapter();

  const headers = { 'content-type': 'application/json' };
  const patch = (raw: string) =>
    chapter.send('PATCH', `/api/users/${chapter.user.id}`, { as: chapter.leader, raw, headers });

  it('is 422 with a duplicate name, together with its other faults', async () => {
    const twice: [string, string[]][] = [
      ['{"last_name":7,"last_name":"Last"}', ['last_name duplicate']],
      ['{"last_name":"Last","last_name":"Last"}', ['last_name duplicate']],
      ['{"last_name":"a","\\u006cast_name":"b"}', ['last_name duplicate']],
      ['{"groups":[{"a":1,"a":2}]}', ['groups duplicate']],
      ['{"id":"a","id":"b"}', ['id duplicate']],
      ['{"x":1,"x":2}', ['x duplicate', 'x unknown_field']],
      [
        '{"email":7,"emial":1,"last_name":"a","birthdate":"2023-02-30","last_name":"b"}',
        ['last_name duplicate', 'emial unknown_field', 'email invalid_type', 'birthdate invalid_format'],
      ],
    ];
    for (const [raw, faults] of twice) {
      const response = await patch(raw);
      expect(response.status, raw).to.equal(422);
      expect(faultsOf(response), raw).to.deep.equal(faults);
    }
    const { body } = await patch('{}');
    expect(body.last_name).to.not.be.oneOf(['Last', 'a', 'b']);
  });

  it('is 422 with a duplicate name at login, refresh and logout', async () => {
    const login = '{"username":"leader","password":"x","password":"leader-secret"}';
    const refused = await chapter.send('POST', '/api/auth/login/', { raw: login, headers });
    expect(faultsOf(refused)).to.deep.equal(['password duplicate']);
    const tokens = '{"refresh_token":"x","refresh_token":"y"}';
    for (const method of ['POST', 'DELETE']) {
      const response = await chapter.send(method, '/api/auth/tokens/', { raw: tokens, headers });
      expect(faultsOf(response)).to.deep.equal(['refresh_token duplicate']);
    }
  });
});
