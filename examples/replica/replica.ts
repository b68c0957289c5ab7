import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** The copy of a division's users: their names by id, and where the feed of changes continues. */
interface Copy {
  readonly after: string;
  readonly usernames: Readonly<Record<string, string>>;
}

/** Where the copy comes from and where it is kept. */
export interface ReplicaSettings {
  readonly chapterUrl: string;
  /** A personal access token of a Leader. It may be read-only. */
  readonly token: string;
  readonly file: string;
}

interface ChangePage {
  readonly results: readonly { readonly target: { readonly type: string; readonly id: string } }[];
  readonly next: string | null;
  readonly after: string;
}

/** The token is wrong, ended or expired, so that no update can succeed. */
class TokenRefused extends Error {}

/** Makes a copy of a division's users that survives a restart. `update` brings it up to date. */
export const makeReplica = ({ chapterUrl, token, file }: ReplicaSettings) => {
  /** Reads a path. Returns null for the statuses in `expected`; any other failure is an error, and the next update repeats it. */
  const get = async (path: string, accept = 'application/json', expected: readonly number[] = []) => {
    const headers = { Accept: accept, Authorization: `Bearer ${token}` };
    const response = await fetch(chapterUrl + path, { headers });
    if (response.status === 401)
      throw new TokenRefused('CHAPTER_TOKEN is missing, wrong or ended: create another token');
    if (expected.includes(response.status)) return null;
    if (!response.ok) throw new Error(`${path} failed: ${response.status} ${await response.text()}`);
    return response;
  };

  const load = (): Copy | null => {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Copy;
    } catch {
      return null;
    }
  };

  /** Stores names and position together, so that a crash cannot separate them. */
  const save = (copy: Copy): Copy => {
    writeFileSync(`${file}.next`, JSON.stringify(copy));
    renameSync(`${file}.next`, file);
    return copy;
  };

  /** Takes the position first and then the list: a change in between is in both, which does no harm. */
  const start = async (): Promise<Copy> => {
    const newest = (await (await get('/api/changes/?page_size=1'))?.json()) as ChangePage;
    // As CSV, the list is complete.
    const list = (await (await get('/api/users/', 'text/csv'))?.text()) ?? '';
    const rows = list.split('\r\n').slice(1, -1);
    const usernames = rows.map((row) => row.split(',', 2)).map(([id = '', name = '']) => [id, name.replace(/^'/, '')]);
    return save({ after: newest.after, usernames: Object.fromEntries(usernames) });
  };

  /** Reads each changed user again, because concurrent changes may be in another order in the feed. */
  const follow = async (copy: Copy): Promise<Copy> => {
    const response = await get(`/api/changes/?after=${copy.after}`, 'application/json', [422]);
    // The position is gone: entries were pruned, a backup was restored, or the Leader belongs to another division.
    if (!response) return start();
    const { after, next, results } = (await response.json()) as ChangePage;
    const usernames = new Map(Object.entries(copy.usernames));
    const ids = new Set(results.filter(({ target }) => target.type === 'user').map(({ target }) => target.id));
    for (const id of ids) {
      const user = (await (await get(`/api/users/${id}/`, 'application/json', [404]))?.json()) as
        | { username: string }
        | undefined;
      if (user) usernames.set(id, user.username);
      else usernames.delete(id);
    }
    const saved = save({ after, usernames: Object.fromEntries(usernames) });
    return next === null ? saved : follow(saved);
  };

  return {
    usernames: () => load()?.usernames ?? {},
    update: async (): Promise<void> => {
      const copy = load();
      await (copy ? follow(copy) : start());
    },
  };
};

if (import.meta.main) {
  const { CHAPTER_TOKEN, CHAPTER_URL, PORT } = process.env;
  const replica = makeReplica({
    chapterUrl: CHAPTER_URL ?? 'http://localhost:3000',
    token: CHAPTER_TOKEN ?? '',
    file: 'replica.json',
  });
  const port = Number(PORT ?? 4001);
  createServer((_, response) => response.end(JSON.stringify(replica.usernames()))).listen(port, '127.0.0.1', () =>
    console.log(`The copy is at http://localhost:${port}/`),
  );
  for (;;) {
    await replica.update().catch((error: unknown) => {
      console.error(error instanceof TokenRefused ? error.message : error);
      if (error instanceof TokenRefused) process.exit(1);
    });
    await sleep(2000);
  }
}
