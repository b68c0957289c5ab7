import type { Author, IdempotentCreation, Instant, PasswordHash, PriorCreation, User } from '@chapter/domain';
import type { Transaction } from '../connection/transaction.ts';

/** How long a key is kept, in milliseconds. Contract, section 7. */
const KEY_LIFETIME = 24 * 60 * 60 * 1000;

// Tells whether the user still has the hash that was stored with them, and is of no use for guessing: what it digests has
// random salt in it.
const fingerprint = (hash: string): string => `encode(sha256(convert_to(${hash}, 'UTF8')), 'hex')`;

// Whoever comes second waits here for the first, through the primary key, until it commits or gives up. A row that is
// too old is taken over; of a younger one nothing comes back, for `where` refuses it.
const CLAIM = {
  name: 'claim-key',
  text: `insert into idempotency_key as k (author, key, request, answer, created_at, password_fingerprint)
    values ($1, $2, $3, $4, $5, ${fingerprint('$7')})
    on conflict (author, key) do update set request = excluded.request, password_hash = null,
      answer = excluded.answer, created_at = excluded.created_at, password_fingerprint = excluded.password_fingerprint
    where k.created_at <= $6
    returning key`,
};
const FIND = {
  name: 'find-key',
  text: `select k.request, k.answer, u.password_hash from idempotency_key k
    left join user_account u on u.id = (k.answer ->> 'id')::uuid and ${fingerprint('u.password_hash')} = k.password_fingerprint
    where k.author = $1 and k.key = $2`,
};

/** The moment from which keys count, seen from `now`. */
export const oldestKey = (now: Instant): Instant => new Date(Date.parse(now) - KEY_LIFETIME).toISOString();

/** Takes the key for this creation, and answers null; or what an earlier creation under the same key has left. */
export const claimKey = async (
  tx: Transaction,
  author: Author,
  once: IdempotentCreation,
  { user, passwordHash }: Omit<PriorCreation, 'request'>,
  now: Instant,
): Promise<PriorCreation | null> => {
  const { key, request } = once;
  const owner = author.userId ?? '';
  const values = [owner, key, request, JSON.stringify(user), now, oldestKey(now), passwordHash];
  if ((await tx.query(CLAIM, values)).length > 0) return null;
  const [row] = await tx.query<readonly [request: string, answer: User, hash: PasswordHash | null]>(FIND, [owner, key]);
  // It has expired and been deleted in between.
  if (!row) return claimKey(tx, author, once, { user, passwordHash }, now);
  return { request: row[0], user: row[1], passwordHash: row[2] };
};
