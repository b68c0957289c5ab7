import { expect } from 'chai';
import { useServedChapter } from '../support/chapter.ts';
import { faultsOf, type TestResponse } from '../support/send.ts';

const names = ({ body }: TestResponse): string[] => body.results.map(({ username }: { username: string }) => username);

describe('A list', () => {
  const chapter = useServedChapter();
  before(async () => {
    for (let at = 0; at < 20; at++) {
      await chapter.admit(`member-${at}`, ['User'], { lastName: `Name ${at % 3}` });
    }
  });

  it('repeats all other parameters as they were sent in `next` and `previous`', async () => {
    const sent = 'search=MEMBER&page_size=2&&last_name__icontains=%4eame+1&count=true&groups__in=User%2CGuest';
    const first = await chapter.get(`/api/users/?${sent}`, chapter.leader);
    expect(first.body.count).to.equal(7);
    expect(first.body.previous).to.equal(null);
    expect(first.body.next).to.match(
      /^\/api\/users\/\?search=MEMBER&page_size=2&last_name__icontains=%4eame\+1&count=true&groups__in=User%2CGuest&cursor=[\w-]+$/,
    );
    const second = await chapter.get(first.body.next, chapter.leader);
    expect(second.body.count).to.equal(7);
    expect(second.body.next.match(/cursor=/g)).to.have.lengthOf(1);
    const again = await chapter.get(second.body.previous, chapter.leader);
    expect(names(again)).to.deep.equal(names(first));
  });

  it('rejects a cursor of another list or query', async () => {
    const { get, leader, north, south, southLeader } = chapter;
    const { body } = await get('/api/users/?page_size=2', leader);
    const cursor = new URL(body.next, 'http://x').searchParams.get('cursor');
    for (const path of ['/api/users/?ordering=username&', `/api/division/${north.id}/users/?`]) {
      expect(faultsOf(await get(`${path}cursor=${cursor}`, leader))).to.deep.equal(['cursor invalid_cursor']);
    }
    const own = await get(`/api/division/${north.id}/users/?page_size=1`, leader);
    const other = new URL(own.body.next, 'http://x').searchParams.get('cursor');
    expect(await get(`/api/division/${south.id}/users/?cursor=${other}`, southLeader)).to.include({ status: 422 });
  });
});
