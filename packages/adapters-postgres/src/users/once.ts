import type { Author, Earlier, Instant, Once, User } from '@chapter/domain';
import type { Transaction } from '../transaction.ts';

/** How long a key is kept, in milliseconds. Contract, section 7. */
const KEY_LIFETIME = 24 * 60 * 60 * 1000;

// Whoever comes second waits here for the first, through the primary key, until it commits or gives up. A row that is
// too old is taken over; of a younger one nothing comes back, for `where` refuses it.
const CLAIM = {
  name: 'claim-key',
  text: `insert into idempotency_key as k (author, key, request, answer, created_at)
    values ($1, $2, $3, $4, $5)
    on conflict (author, key) do update set request = excluded.request, password_hash = null,
      answer = excluded.answer, created_at = excluded.created_at
    where k.created_at <= $6
    returning key`,
};
const FIND = {
  name: 'find-key',
  text: 'select request, answer from idempotency_key where author = $1 and key = $2',
};

/** The moment from which keys count, seen from `now`. */
export const oldestKey = (now: Instant): Instant => new Date(Date.parse(now) - KEY_LIFETIME).toISOString();

/** Takes the key for this creation, and answers null; or what an earlier creation under the same key has left. */
export const claimKey = async (
  tx: Transaction,
  author: Author,
  once: Once,
  user: User,
  now: Instant,
): Promise<Earlier | null> => {
  const { key, request } = once;
  const owner = author.userId ?? '';
  const values = [owner, key, request, JSON.stringify(user), now, oldestKey(now)];
  if ((await tx.query(CLAIM, values)).length > 0) return null;
  const [row] = await tx.query<readonly [request: string, answer: User]>(FIND, [owner, key]);
  // It has expired and been deleted in between.
  if (!row) return claimKey(tx, author, once, user, now);
  return { request: row[0], user: row[1] };
};
