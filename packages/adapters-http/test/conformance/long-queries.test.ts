import { checkFields, divisionChecks } from '@chapter/domain/api';
import { aDivision, storeDivision } from '@chapter/domain/testing';
import { expect } from 'chai';
import { type ServedChapter, useServedChapter } from '../support/chapter.ts';
import { faultsOf } from '../support/send.ts';

const LIMIT = 24 * 1024;
const filter = (values: number) => `name__in=a,b${`,${'c'.repeat(2000)}`.repeat(values)}`;
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

  it('is checked after permission', async () => {
    const { get, guest, user, south } = chapter;
    expect(await get(`/api/users/?${long(LIMIT + 1)}`)).to.include({ status: 401 });
    expect(await get(`/api/users/?${long(LIMIT + 1)}`, user)).to.include({ status: 403 });
    expect(await get(`/api/division/${south.id}/users/?${long(LIMIT + 1)}`, guest)).to.include({ status: 404 });
  });
});

describe('A list ordered by the longest values', () => {
  const chapter = useServedChapter();
  before(async () => {
    for (const name of ['a', 'b', 'c']) {
      const url = `http://${name}/`;
      const fields = { logo: url.padEnd(2048 + 2039, '\u{10400}'), fanpage: url.padEnd(2048 + 2039, '\u{10401}') };
      expect(checkFields(divisionChecks, { fields }).faults).to.deep.equal([]);
      await storeDivision(chapter.world, aDivision().with({ id: chapter.world.ids.next(), name, ...fields }));
    }
  });

  it('can be followed to its end and back with headers of 2 KiB', async () => {
    const get = (path: string) => chapter.get(path, chapter.admin, { 'user-agent': 'x'.repeat(2048) });
    const pages: string[] = [];
    for (const way of ['next', 'previous'] as const) {
      let path = pages.at(-1) ?? `/api/divisions/?ordering=logo,-fanpage&page_size=1&${filter(3)}`;
      for (let response = await get(path); ; response = await get(path)) {
        expect(response.status).to.equal(200);
        expect(response.body.results).to.have.lengthOf(1);
        pages.push(path);
        if (response.body[way] === null) break;
        path = response.body[way];
      }
    }
    expect(pages).to.have.lengthOf(4);
    expect(Math.max(...pages.map((path) => path.length))).to.be.greaterThan(24 * 1024);
  });

  it('is 422 if the URL of its next page would be too long', async () => {
    const response = await chapter.get(`/api/divisions/?ordering=logo,fanpage&${filter(4)}`, chapter.admin);
    expect(response.status).to.equal(422);
    expect(faultsOf(response)).to.deep.equal([' too_long']);
    expect(response.body.errors[0].detail).to.match(
      /^with this ordering, the query string must have at most \d+ bytes without the cursor$/,
    );
  });
});
