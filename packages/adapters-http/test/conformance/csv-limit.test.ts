import { expect } from 'chai';
import { makeServedChapter, type ServedChapter } from '../support/chapter.ts';
import { beginExport, CSV } from '../support/csv-exports.ts';

const countExports = async ({ world }: ServedChapter): Promise<number> =>
  (await world.audit.list({ limit: 100 })).filter(({ action }) => action === 'exportUsers').length;

describe('A third list as CSV over HTTP', () => {
  it('is refused with 503 while two others are unread, until one of them ends', async () => {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    await using chapter = await makeServedChapter({}, ({ listExports }) => ({
      listExports: {
        ...listExports,
        users: async (...request) => {
          const opened = await listExports.users(...request);
          async function* read() {
            for await (const items of opened.batches) {
              yield items;
              await ended;
            }
          }
          const close = async () => {
            await opened.close();
            resolve();
          };
          return { batches: read(), close };
        },
      },
    }));
    const unread = [await beginExport(chapter), await beginExport(chapter)] as const;
    for (const response of unread) response.on('error', () => {});
    const refused = await chapter.get('/api/users/', chapter.leader, CSV);
    expect([refused.status, refused.body.code, refused.headers['retry-after']]).to.deep.equal([
      503,
      'unavailable',
      '30',
    ]);
    expect((await chapter.send('HEAD', '/api/users/', { as: chapter.leader, headers: CSV })).status).to.equal(200);
    expect(await countExports(chapter)).to.equal(2);
    unread[0].destroy();
    await ended;
    expect((await chapter.get('/api/users/', chapter.leader, CSV)).status).to.equal(200);
    expect(await countExports(chapter)).to.equal(3);
  });
});
