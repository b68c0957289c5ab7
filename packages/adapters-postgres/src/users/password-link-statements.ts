import type { DivisionId, Instant, PasswordHash, UserId } from '@chapter/domain';
import { sql } from 'kysely';
import { defineStatement, type Parameters } from '../connection/statement.ts';
import { db } from '../schema/tables.ts';
import { passwordFingerprint } from './idempotency-key.ts';
import { ACTOR_COLUMNS } from './user-look-ups.ts';
import { USER_COLUMNS, userSelection } from './user-rows.ts';

interface StoredLink {
  userId: UserId;
  digest: string;
  issuerId: UserId | null;
  divisionId: DivisionId;
  isStaff: boolean;
  isSuperuser: boolean;
  passwordHash: PasswordHash | null;
  lifetime: number;
}

/** Stores the link of a user in place of an earlier one. */
export const STORE_LINK = defineStatement(
  'store-password-link',
  (value: Parameters<StoredLink>) =>
    db
      .insertInto('password_link')
      .values({
        user_id: value('userId'),
        digest: value('digest'),
        issuer_id: value('issuerId'),
        division_id: value('divisionId'),
        is_staff: value('isStaff'),
        is_superuser: value('isSuperuser'),
        password_fingerprint: passwordFingerprint(sql<PasswordHash | null>`${value('passwordHash')}::text`),
        expires_at: sql<Instant>`now() + ${value('lifetime')}::float8 * interval '1 second'`,
      })
      .onConflict((conflict) =>
        conflict.column('user_id').doUpdateSet((eb) => ({
          digest: eb.ref('excluded.digest'),
          issuer_id: eb.ref('excluded.issuer_id'),
          division_id: eb.ref('excluded.division_id'),
          is_staff: eb.ref('excluded.is_staff'),
          is_superuser: eb.ref('excluded.is_superuser'),
          password_fingerprint: eb.ref('excluded.password_fingerprint'),
          expires_at: eb.ref('excluded.expires_at'),
        })),
      )
      .returning('expires_at'),
  { columns: ['expires_at'] },
);

/** Finds the user and the issuer of a link, to lock them. Also finds links that are no longer open. */
export const FIND_HOLDER = defineStatement(
  'find-password-link-holder',
  (value: Parameters<{ digest: string }>) =>
    db.selectFrom('password_link').select(['user_id', 'issuer_id']).where('digest', '=', value('digest')),
  { columns: ['user_id', 'issuer_id'], isReadOnly: true },
);

/** Finds an open link with its user and its issuer's rights, which are null for the operator and a deleted issuer. */
export const FIND_LINK = defineStatement(
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

/** Removes the link of a user. */
export const VOID_LINK = defineStatement('void-password-link', (value: Parameters<{ userId: UserId }>) =>
  db.deleteFrom('password_link').where('user_id', '=', value('userId')),
);
