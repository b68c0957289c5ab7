import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { makeReplica } from '../examples/replica/replica.ts';
import { call } from '../packages/app/test/cli/call.ts';
import { useDemoService } from '../test-support/demo-database.ts';
import { makeFolder } from '../test-support/folders.ts';
import { execute } from '../test-support/processes.ts';

describe('The example of a copy', () => {
  const service = useDemoService();
  const file = join(makeFolder(), 'replica.json');
  let token: string;

  before(async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const options = ['--user', 'leader', '--name', 'copy', '--expires-at', expiresAt, '--read-only'];
    ({ token } = (await chapter('tokens', 'create', ...options)) as { token: string });
  });

  const chapter = async (...args: readonly string[]): Promise<unknown> => {
    const { err, out, status } = await call([...args, '--json'], { variables: service.variables() });
    expect(status, err).to.equal(0);
    return JSON.parse(out);
  };
  /** A replica that was just started. It has only what the file contains. */
  const started = () => makeReplica({ chapterUrl: service.url, token, file });
  /** Updates the copy. Other transactions of the server, such as those of other tests, may delay the feed for a moment. */
  const expectCopy = async (): Promise<void> => {
    const users = (await chapter('users', 'list', '--division', 'North')) as { id: string; username: string }[];
    const expected = Object.fromEntries(users.map(({ id, username }) => [id, username]));
    for (let updates = 0; updates < 10_000; updates += 1) {
      await started().update();
      if (isDeepStrictEqual(started().usernames(), expected)) break;
    }
    expect(started().usernames()).to.deep.equal(expected);
  };
  const countOfLists = async (): Promise<number> =>
    ((await chapter('audit', '--action', 'exportUsers', '--limit', '100')) as unknown[]).length;
  const create = (username: string) =>
    chapter('users', 'create', '--division', 'North', '--username', username, '--link');

  it('starts with the whole list, also with names that a spreadsheet would take for a formula', async () => {
    await create('-ada');
    await expectCopy();
  });

  it('follows creations, moves and deletions after a restart, without another list', async () => {
    const lists = await countOfLists();
    for (const name of ['one', 'two', 'three']) await create(name);
    await chapter('users', 'move', '--user', 'one', '--division', 'South');
    await chapter('users', 'delete', '--user', 'two', '--yes');
    await expectCopy();
    await chapter('users', 'move', '--user', 'one', '--division', 'North');
    await expectCopy();
    expect(await countOfLists()).to.equal(lists);
  });

  it('starts again when its position in the feed is gone', async () => {
    const copy = JSON.parse(readFileSync(file, 'utf8')) as object;
    await chapter('users', 'delete', '--user', 'three', '--yes');
    const { at } = ((await chapter('audit', '--limit', '1')) as [{ at: string }])[0];
    await chapter('audit', 'prune', '--before', new Date(Date.parse(at) + 1).toISOString());
    await expectCopy();
    writeFileSync(file, JSON.stringify({ ...copy, after: 'x' }));
    await expectCopy();
  });

  it('stops, and says why, when its token has ended', async () => {
    const ended = (await chapter('tokens', 'list', '--user', 'leader')) as { id: string }[];
    await chapter('tokens', 'end', '--user', 'leader', '--id', ended[0]?.id ?? '');
    const env = { ...process.env, CHAPTER_URL: service.url, CHAPTER_TOKEN: token, PORT: '0' };
    const run = execute(process.execPath, ['examples/replica/replica.ts'], { env });
    const { code, stderr } = await run.then(
      () => expect.fail(),
      (error: { code: number; stderr: string }) => error,
    );
    expect([code, stderr]).to.deep.equal([1, 'CHAPTER_TOKEN is missing, wrong or ended: create another token\n']);
  });
});
