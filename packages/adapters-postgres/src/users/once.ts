import type { Author, Earlier, Once, PasswordHash, User } from '@chapter/domain';
import type { Transaction } from '../connection/transaction.ts';

/** How long a key is kept, as an SQL interval. Contract, section 7. */
export const KEY_LIFETIME = "interval '24 hours'";

// Tells whether the user still has the hash that was stored with them, and is of no use for guessing: what it digests has
// random salt in it.
const fingerprint = (hash: string): string => `encode(sha256(convert_to(${hash}, 'UTF8')), 'hex')`;

// Whoever comes second waits here for the first, through the primary key, until it commits or gives up. A row that is
// too old is taken over; of a younger one nothing comes back, for `where` refuses it.
const CLAIM = {
  name: 'claim-key',
  text: `insert into idempotency_key as k (author, key, request, answer, created_at, password_fingerprint)
    values ($1, $2, $3, $4, now(), ${fingerprint('$5')})
    on conflict (author, key) do update set request = excluded.request, password_hash = null,
      answer = excluded.answer, created_at = excluded.created_at, password_fingerprint = excluded.password_fingerprint
    where k.created_at <= now() - ${KEY_LIFETIME}
    returning key`,
};
const FIND = {
  name: 'find-key',
  text: `select k.request, k.answer, u.password_hash from idempotency_key k
    left join user_account u on u.id = (k.answer ->> 'id')::uuid and ${fingerprint('u.password_hash')} = k.password_fingerprint
    where k.author = $1 and k.key = $2`,
};

/** Takes the key for this creation, and answers null; or what an earlier creation under the same key has left. */
export const claimKey = async (
  tx: Transaction,
  author: Author,
  once: Once,
  { user, passwordHash }: Omit<Earlier, 'request'>,
): Promise<Earlier | null> => {
  const { key, request } = once;
  const owner = author.userId ?? '';
  const values = [owner, key, request, JSON.stringify(user), passwordHash];
  if ((await tx.query(CLAIM, values)).length > 0) return null;
  const [row] = await tx.query<readonly [request: string, answer: User, hash: PasswordHash | null]>(FIND, [owner, key]);
  // It has expired and been deleted in between.
  if (!row) return claimKey(tx, author, once, { user, passwordHash });
  return { request: row[0], user: row[1], passwordHash: row[2] };
};
