import type { User } from '@chapter/domain';
import { expect } from 'chai';
import { useServedChapter } from '../support/chapter.ts';
import { CSV, exportsIn } from '../support/csv-exports.ts';
import { faultsOf } from '../support/send.ts';

const recordsOf = (text: string): readonly (readonly string[])[] =>
  text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split(','));

describe('A list as CSV over HTTP', () => {
  const chapter = useServedChapter({ each: true });

  const lists = (): Readonly<Record<string, [path: string, as: User, fileName: string]>> => ({
    'GET /api/users/': ['/api/users/', chapter.leader, 'users.csv'],
    'GET /api/divisions/': ['/api/divisions/', chapter.admin, 'divisions.csv'],
    'GET /api/division/{id}/users/': [`/api/division/${chapter.north.id}/users/`, chapter.guest, 'division-users.csv'],
  });
  for (const name of ['GET /api/users/', 'GET /api/divisions/', 'GET /api/division/{id}/users/']) {
    it(`has the items of the JSON list in the same order (${name})`, async () => {
      const [path, as, fileName] = lists()[name] ?? expect.fail();
      for (const query of ['', '?ordering=-id', '?search=o', '?search=none-has-this']) {
        const { body } = await chapter.get(path + query, as);
        const { status, text, headers } = await chapter.get(path + query, as, CSV);
        expect(status).to.equal(200);
        expect(recordsOf(text).map(([id]) => id)).to.deep.equal(body.results.map(({ id }: { id: string }) => id));
        expect(text.startsWith('id,')).to.equal(true);
        expect(headers).to.include({
          'content-type': 'text/csv; charset=utf-8; header=present',
          'content-disposition': `attachment; filename="${fileName}"`,
          'cache-control': 'no-store',
          vary: 'Origin, Accept',
        });
        expect(headers).to.not.have.property('content-length');
      }
    });
  }

  it('is returned only if Accept prefers it to JSON', async () => {
    const typeFor = async (accept: string) =>
      (await chapter.get('/api/users/', chapter.leader, { accept })).headers['content-type'];
    expect(await typeFor('text/csv;q=0.9, application/json;q=0.8')).to.match(/^text\/csv/);
    expect(await typeFor('text/csv, application/json')).to.equal('application/json');
  });

  it('has no pages: page_size, cursor and count are unknown parameters, and other faults are reported with them', async () => {
    for (const [path, as] of Object.values(lists())) {
      const refused = await chapter.get(`${path}?page_size=5&cursor=x&count=true&serch=x&ordering=y`, as, CSV);
      expect(refused.status).to.equal(422);
      expect(refused.headers['content-type']).to.equal('application/problem+json');
      expect(refused.headers).to.not.have.property('content-disposition');
      expect(faultsOf(refused)).to.have.members([
        'page_size unknown_parameter',
        'cursor unknown_parameter',
        'count unknown_parameter',
        'serch unknown_parameter',
        'ordering invalid_format',
      ]);
      expect(refused.text).to.include('did you mean `search`?').and.include('is not available for CSV');
    }
    expect(await exportsIn(chapter)).to.deep.equal([]);
  });

  it('for spreadsheets differs only in the byte-order mark and the instants, and is recorded with the same filters', async () => {
    const path = '/api/users/?ordering=-username&is_active=true';
    const { text: plain } = await chapter.get(path, chapter.leader, CSV);
    const { headers, bytes } = await chapter.get(`${path}&spreadsheet=true`, chapter.leader, CSV);
    const text = plain.replaceAll(/T(\d\d:\d\d:\d\d)\.\d{3}Z/g, ' $1');
    expect(bytes).to.deep.equal(Buffer.from(`\ufeff${text}`));
    expect(text).to.not.equal(plain);
    expect(headers['content-disposition']).to.equal('attachment; filename="users.csv"');
    expect((await chapter.get(`${path}&spreadsheet=false`, chapter.leader, CSV)).text).to.equal(plain);
    const [first, ...others] = await exportsIn(chapter);
    expect(others).to.have.lengthOf(2);
    for (const { changes } of others) expect(changes).to.deep.equal(first?.changes);
  });

  it('is the only response that has the parameter spreadsheet', async () => {
    for (const [path, as] of Object.values(lists())) {
      const refused = await chapter.get(`${path}?spreadsheet=true`, as);
      expect(faultsOf(refused)).to.deep.equal(['spreadsheet unknown_parameter']);
      expect(refused.text).to.include('send `Accept: text/csv`');
      expect(faultsOf(await chapter.get(`${path}?spreadsheet=yes`, as, CSV))).to.deep.equal([
        'spreadsheet invalid_type',
      ]);
    }
  });

  it('has the same head for HEAD, which opens and records nothing', async () => {
    for (const [path, as] of Object.values(lists())) {
      const { headers } = await chapter.get(path, as, CSV);
      const head = await chapter.send('HEAD', path, { as, headers: CSV });
      const ignored = { date: '', 'x-request-id': '', 'transfer-encoding': '' };
      expect({ ...head.headers, ...ignored }).to.deep.equal({ ...headers, ...ignored });
      expect([head.status, head.text]).to.deep.equal([200, '']);
      expect((await chapter.send('HEAD', `${path}?count=true`, { as, headers: CSV })).status).to.equal(422);
    }
    expect(await exportsIn(chapter)).to.have.lengthOf(3);
  });
});
