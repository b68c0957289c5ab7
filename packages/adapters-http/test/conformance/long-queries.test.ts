import { expect } from 'chai';
import { type ServedChapter, useServedChapter } from '../support/chapter.ts';
import { faultsOf } from '../support/send.ts';

const LIMIT = 24 * 1024;
const long = (bytes: number) => `x=${'y'.repeat(bytes - 2)}`;

describe('A query string of more than 24 KiB', () => {
  const chapter = useServedChapter();

  const requests: [string, string, (chapter: ServedChapter) => string, object?][] = [
    ['a list of users', 'GET', () => '/api/users/'],
    ['keys', 'GET', () => '/api/auth/keys/'],
    ['an update', 'PATCH', ({ user }) => `/api/users/${user.id}`, {}],
  ];
  for (const [description, method, path, json] of requests) {
    it(`is 422 as a whole for ${description}`, async () => {
      const ask = (bytes: number) =>
        chapter.send(method, `${path(chapter)}?${long(bytes)}`, { as: chapter.leader, json });
      const [last, over] = [await ask(LIMIT), await ask(LIMIT + 1)];
      expect(faultsOf(last)).to.deep.equal(['x unknown_parameter']);
      expect(over.status).to.equal(422);
      expect(over.body.errors).to.deep.equal([
        { field: '', code: 'too_long', detail: 'the query string must have at most 24576 bytes' },
      ]);
    });
  }

  it('is reported together with the faults of a body', async () => {
    const { send, leader } = chapter;
    const response = await send('POST', `/api/users/?${long(LIMIT + 1)}`, { as: leader, json: { username: '' } });
    expect(faultsOf(response)).to.have.members([' too_long', 'username too_short', 'password required']);
  });
});
