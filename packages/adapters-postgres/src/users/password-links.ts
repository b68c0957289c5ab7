import type { Instant, PasswordHash } from '@chapter/domain';
import { type Actor, invalidToken, notFound, type PasswordLinks, userAudit } from '@chapter/domain/ports';
import { type Selectable, sql } from 'kysely';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { defineStatement, type Parameters, pickParameters, type Runner } from '../connection/statement.ts';
import { type InTransaction, rowsOf } from '../connection/transaction.ts';
import { toInstant } from '../schema/mapping.ts';
import { db, excluded, type Tables } from '../schema/tables.ts';
import { passwordFingerprint } from './idempotency-key.ts';
import { lockActorAndTarget } from './lock.ts';
import { ACTOR_COLUMNS } from './user-look-ups.ts';
import { applyUserWrite } from './user-repository.ts';
import { toGroups, toUser, USER_COLUMNS, userSelection } from './user-rows.ts';

const LINK_COLUMNS = ['digest', 'issuer_id', 'division_id', 'is_staff', 'is_superuser'] as const;

type StoredLink = Pick<Selectable<Tables['password_link']>, 'user_id' | (typeof LINK_COLUMNS)[number]> & {
  passwordHash: PasswordHash | null;
  lifetime: number;
};

/** Stores the link of a user in place of an earlier one. */
const STORE_LINK = defineStatement(
  'store-password-link',
  (value: Parameters<StoredLink>) =>
    db
      .insertInto('password_link')
      .values({
        ...pickParameters(value, ['user_id', ...LINK_COLUMNS]),
        password_fingerprint: passwordFingerprint(sql<PasswordHash | null>`${value('passwordHash')}::text`),
        expires_at: sql<Instant>`now() + ${value('lifetime')}::float8 * interval '1 second'`,
      })
      .onConflict((conflict) =>
        conflict.column('user_id').doUpdateSet(excluded([...LINK_COLUMNS, 'password_fingerprint', 'expires_at'])),
      )
      .returning('expires_at'),
  { columns: ['expires_at'] },
);

/** Finds the user and the issuer of a link, to lock them. Also finds links that are no longer open. */
const FIND_HOLDER = defineStatement(
  'find-password-link-holder',
  (value: Parameters<{ digest: string }>) =>
    db.selectFrom('password_link').select(['user_id', 'issuer_id']).where('digest', '=', value('digest')),
  { columns: ['user_id', 'issuer_id'], isReadOnly: true },
);

/** Finds an open link with its user and its issuer's rights, which are null for the operator and a deleted issuer. */
const FIND_LINK = defineStatement(
  'find-password-link',
  (value: Parameters<{ digest: string }>) =>
    db
      .selectFrom('password_link as l')
      .innerJoin('user_account as u', 'u.id', 'l.user_id')
      .innerJoin('division as d', 'd.id', 'u.division_id')
      .select('l.issuer_id')
      .select((eb) =>
        eb
          .selectFrom('user_account as i')
          .select(
            sql<string>`to_json(array[${sql.join(ACTOR_COLUMNS.map((name) => sql`${sql.ref(`i.${name}`)}::text`))}])::text`.as(
              'issuer',
            ),
          )
          .whereRef('i.id', '=', 'l.issuer_id')
          .as('issuer'),
      )
      .select(userSelection)
      .where('l.digest', '=', value('digest'))
      .where('l.expires_at', '>', sql<Instant>`now()`)
      .whereRef('l.division_id', '=', 'u.division_id')
      .whereRef('l.is_staff', '=', 'u.is_staff')
      .whereRef('l.is_superuser', '=', 'u.is_superuser')
      .where((eb) =>
        eb('l.password_fingerprint', 'is not distinct from', passwordFingerprint(eb.ref('u.password_hash'))),
      ),
  { columns: ['issuer_id', 'issuer', ...USER_COLUMNS] },
);

/** Converts the values of `ACTOR_COLUMNS`, in their order, as text. */
const toIssuer = (json: string): Actor => {
  const [id = '', divisionId = '', username = '', groups = '', ...flags] = JSON.parse(json) as readonly string[];
  const [isActive = false, isStaff = false, isSuperuser = false] = flags.map((flag) => flag === 'true');
  return { id, username, divisionId, groups: toGroups(groups), isActive, isStaff, isSuperuser };
};

/** Makes the store of password links. Every write of a link holds the lock of its user. */
export const makePasswordLinks = (
  runner: Runner,
  inTransaction: InTransaction,
  writeAudit: WriteAudit,
): PasswordLinks => ({
  create: (author, { userId, digest, lifetime }, permit) =>
    inTransaction(rowsOf(author, userId), async (tx) => {
      const { actor, target } = await lockActorAndTarget(tx, author.userId, userId);
      if (!target) throw notFound();
      const { user, passwordHash } = target;
      permit({ actor, user });
      const state = { division_id: user.division.id, is_staff: user.isStaff, is_superuser: user.isSuperuser };
      const link = { user_id: userId, digest, issuer_id: author.userId, ...state, passwordHash, lifetime };
      writeAudit(tx, author, userAudit('createPasswordLink', user));
      const [row] = await STORE_LINK.run(tx, link);
      if (!row) throw new Error('the statement that stores a link returned no row');
      return toInstant(row[0]);
    }),

  find: async (digest) => {
    const [row] = await FIND_LINK.run(runner, { digest });
    if (!row) return null;
    const [issuerId, issuer, ...user] = row;
    return { user: toUser(user), issuerId, issuer: issuer === null ? null : toIssuer(issuer) };
  },

  redeem: (digest, requestId, decide) =>
    inTransaction(['redeem', digest], async (tx) => {
      const [holder] = await FIND_HOLDER.run(tx, { digest });
      if (!holder) throw invalidToken();
      const [userId, issuerId] = holder;
      const { actor: issuer, target } = await lockActorAndTarget(tx, issuerId, userId);
      // Read the link again, because it may have changed before it was locked.
      const [row] = await FIND_LINK.run(tx, { digest });
      if (!target || !row) throw invalidToken();
      const { user } = target;
      const write = decide({ user, issuerId, issuer });
      applyUserWrite(tx, writeAudit, { userId, name: user.username, requestId }, write);
    }),
});
