import {
  type Author,
  type IdempotentCreation,
  LIFETIME_SECONDS,
  type PasswordHash,
  type PriorCreation,
  type User,
} from '@chapter/domain/ports';
import { type Expression, sql } from 'kysely';
import { defineStatement, type Parameters, pickParameters, type Runner } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { db, excluded } from '../schema/tables.ts';

/** How long a key is kept, as an SQL interval (contract §7). */
export const IDEMPOTENCY_KEY_LIFETIME = sql<string>`interval '${sql.raw(String(LIFETIME_SECONDS.idempotencyKey))} seconds'`;

/**
 * Returns the fingerprint of a password hash. A stored fingerprint shows whether the user still has the same hash. It
 * does not help to guess the password, because the hash is salted.
 */
export const passwordFingerprint = (hash: Expression<string | null>) =>
  sql<string | null>`encode(sha256(convert_to(${hash}, 'UTF8')), 'hex')`;

type Claim = Pick<IdempotentCreation, 'key' | 'request'> & {
  author: string;
  answer: User;
  passwordHash: PasswordHash | null;
};

// A concurrent transaction with the same key waits here, at the primary key, until the first one ends. An expired row
// is replaced. A current one does not match `where`, so it is kept and not returned.
const CLAIM_KEY = defineStatement('claim-key', (value: Parameters<Claim>) =>
  db
    .insertInto('idempotency_key')
    .values({
      ...pickParameters(value, ['author', 'key', 'request', 'answer']),
      created_at: sql<string>`now()`,
      password_fingerprint: passwordFingerprint(value('passwordHash')),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['author', 'key'])
        .doUpdateSet({ ...excluded(['request', 'answer', 'created_at', 'password_fingerprint']), password_hash: null })
        .where('idempotency_key.created_at', '<=', sql<string>`now() - ${IDEMPOTENCY_KEY_LIFETIME}`),
    )
    .returning('key'),
);
const FIND_KEY = defineStatement(
  'find-key',
  (value: Parameters<{ author: string; key: string }>) =>
    db
      .selectFrom('idempotency_key as k')
      .leftJoin('user_account as u', (join) =>
        join
          .on('u.id', '=', sql<string>`(${sql.ref('k.answer')} ->> 'id')::uuid`)
          .on((eb) => eb(passwordFingerprint(eb.ref('u.password_hash')), '=', eb.ref('k.password_fingerprint'))),
      )
      .select(['k.request', 'k.answer', 'u.password_hash'])
      .where('k.author', '=', value('author'))
      .where('k.key', '=', value('key'))
      .where('k.created_at', '>', sql<string>`now() - ${IDEMPOTENCY_KEY_LIFETIME}`),
  { columns: ['request', 'answer', 'password_hash'] },
);

/** Returns the earlier creation under a key, or null. */
export const findPriorCreation = async (
  runner: Runner,
  { userId }: Author,
  key: string,
): Promise<PriorCreation | null> => {
  const [row] = await FIND_KEY.run(runner, { author: userId ?? '', key });
  return row ? { request: row[0], user: row[1], passwordHash: row[2] } : null;
};

/** Claims the key for this creation and returns null, or returns the earlier creation under the same key. */
export const claimIdempotencyKey = async (
  tx: Transaction,
  author: Author,
  creation: IdempotentCreation,
  { user, passwordHash }: Omit<PriorCreation, 'request'>,
): Promise<PriorCreation | null> => {
  const { key, request } = creation;
  const claim = { author: author.userId ?? '', key, request, answer: user, passwordHash };
  if ((await CLAIM_KEY.run(tx, claim)).length > 0) return null;
  // If the earlier row has expired in the meantime, the key can be claimed now.
  return (
    (await findPriorCreation(tx, author, key)) ?? claimIdempotencyKey(tx, author, creation, { user, passwordHash })
  );
};
