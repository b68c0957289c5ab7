import { expect } from 'chai';
import { useServedChapter } from '../support/chapter.ts';

const PATH = '/api/changes/';

describe('GET /api/changes/', () => {
  const chapter = useServedChapter();
  const read = (query = '', as: 'leader' | 'guest' | 'user' = 'leader') => chapter.get(`${PATH}${query}`, chapter[as]);

  it('returns changes with wire names, newest first', async () => {
    const { admit, leader, send } = chapter;
    const member = await admit('grace', ['User']);
    await send('PATCH', `/api/users/${member.id}`, { as: leader, json: { first_name: 'Grace' } });
    const { body, headers, status } = await read('?page_size=1');
    expect(status).to.equal(200);
    expect(headers['cache-control']).to.equal('no-store');
    expect(body.results).to.deep.equal([
      {
        id: body.results[0].id,
        at: chapter.world.clock.now(),
        action: 'updateUser',
        author: { id: leader.id, name: leader.username },
        target: { type: 'user', id: member.id, name: 'grace' },
        changes: { first_name: { old: member.firstName, new: 'Grace' } },
      },
    ]);
    expect(body.next).to.match(/^\/api\/changes\/\?page_size=1&cursor=[A-Za-z0-9_-]+$/);
    const older = await chapter.get(body.next, leader);
    expect(older.body.results[0]).to.deep.include({
      action: 'createUser',
      author: { id: null, name: 'operator' },
    });
  });

  it('leads through the whole feed once, and continues after an empty page', async () => {
    const ids: string[] = [];
    let after = '';
    for (let link: string | null = `${PATH}?page_size=2&after=`; link !== null; ) {
      const { body } = await chapter.get(link, chapter.leader);
      ids.push(...body.results.map(({ id }: { id: string }) => id));
      ({ after, next: link } = body);
    }
    const all = await read('?page_size=100');
    expect(ids.toReversed()).to.deep.equal(all.body.results.map(({ id }: { id: string }) => id));
    expect(after).to.equal(all.body.after);
    expect((await read(`?after=${after}`)).body).to.deep.equal({ results: [], next: null, after });
    const member = await chapter.admit('later', ['User']);
    const { body } = await read(`?after=${after}`);
    expect(body.results.map(({ target }: { target: unknown }) => target)).to.deep.equal([
      { type: 'user', id: member.id, name: 'later' },
    ]);
  });

  it('is for Leaders, and checks the parameters after the permission', async () => {
    for (const as of ['guest', 'user'] as const) {
      expect((await read('?nonsense=1', as)).body).to.include({ status: 403, code: 'forbidden' });
    }
    expect((await chapter.get(PATH)).status).to.equal(401);
    const { body } = await read();
    for (const [query, expected] of [
      ['?count=true', 'count unknown_parameter'],
      ['?page_size=0', 'page_size out_of_range'],
      ['?page_size=101', 'page_size out_of_range'],
      ['?page_size=x&page_size=2', 'page_size duplicate'],
      ['?after=%ff', 'after invalid_format'],
      ['?cursor=', 'cursor invalid_cursor'],
      ['?after=&cursor=x', 'cursor unknown_parameter'],
      ['?after=0', 'after invalid_cursor'],
      [`?after=${body.after}=`, 'after invalid_cursor'],
      [`?cursor=${body.after}A`, 'cursor invalid_cursor'],
    ] as const) {
      const refused = await read(query);
      const faults = refused.body.errors?.map((one: { field: string; code: string }) => `${one.field} ${one.code}`);
      expect([refused.status, faults?.[0]], query).to.deep.equal([422, expected]);
    }
  });
});
