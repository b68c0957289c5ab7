import type { Instant, NewPersonalToken, PersonalTokenId, UserId } from '@chapter/domain';
import { sql } from 'kysely';
import { defineStatement, type Parameters } from '../connection/statement.ts';
import { db } from '../schema/tables.ts';
import { isActive } from '../users/end-sessions.ts';
import { TODAY } from '../users/insert-activity.ts';
import { USER_COLUMNS, userSelection, usersWithDivision } from '../users/user-rows.ts';

const TOKEN_COLUMNS = ['id', 'name', 'is_read_only', 'created_at', 'expires_at', 'last_used_on'] as const;

/** Stores a token, as of the database's clock. */
export const INSERT_TOKEN = defineStatement(
  'insert-personal-token',
  (value: Parameters<NewPersonalToken>) =>
    db
      .insertInto('personal_token')
      .values({
        id: value('id'),
        user_id: value('userId'),
        name: value('name'),
        digest: value('digest'),
        is_read_only: value('isReadOnly'),
        created_at: sql<Instant>`now()`,
        expires_at: value('expiresAt'),
      })
      .returning(TOKEN_COLUMNS),
  { columns: TOKEN_COLUMNS },
);

const tokensOf = (userId: ReturnType<Parameters<{ userId: UserId }>>) =>
  db.selectFrom('personal_token').where('user_id', '=', userId);

/** Lists the tokens of a user that have not expired, newest first. */
export const LIST_PERSONAL_TOKENS = defineStatement(
  'list-personal-tokens',
  (value: Parameters<{ userId: UserId }>) =>
    tokensOf(value('userId')).select(TOKEN_COLUMNS).where(isActive).orderBy('created_at', 'desc').orderBy('id', 'desc'),
  { columns: TOKEN_COLUMNS },
);

/** Lists all tokens of a user, oldest first. */
export const STORED_TOKENS = defineStatement(
  'find-stored-tokens',
  (value: Parameters<{ userId: UserId }>) =>
    tokensOf(value('userId')).select(TOKEN_COLUMNS).orderBy('created_at').orderBy('id'),
  { columns: TOKEN_COLUMNS },
);

/** Ends a token. */
export const END_TOKEN = defineStatement('end-personal-token', (value: Parameters<{ id: PersonalTokenId }>) =>
  db.deleteFrom('personal_token').where('id', '=', value('id')),
);

/** Finds a token that has not expired, with its active user. `is_noted` says whether its use today is stored. */
export const FIND_PERSONAL_TOKEN = defineStatement(
  'find-personal-token',
  (value: Parameters<{ digest: string }>) =>
    usersWithDivision
      .innerJoin('personal_token as t', 't.user_id', 'u.id')
      .select([
        't.id as token_id',
        't.is_read_only',
        sql<boolean>`coalesce(${sql.ref('t.last_used_on')} >= ${TODAY}, false)`.as('is_noted'),
      ])
      .select(userSelection)
      .where('t.digest', '=', value('digest'))
      .where('t.expires_at', '>', sql<string>`now()`)
      .where('u.is_active', '=', sql.lit(true)),
  { columns: ['token_id', 'is_read_only', 'is_noted', ...USER_COLUMNS] },
);

/** Stores the present day as that of the last use of a token. Of simultaneous ones, one writes and the others do not wait. */
export const NOTE_USE = defineStatement('note-use-of-personal-token', (value: Parameters<{ id: PersonalTokenId }>) =>
  db
    .updateTable('personal_token')
    .set({ last_used_on: TODAY })
    .where('id', 'in', (eb) =>
      eb.selectFrom('personal_token').select('id').where('id', '=', value('id')).forUpdate().skipLocked(),
    ),
);
