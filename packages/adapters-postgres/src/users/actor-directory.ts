import { type Actor, type ActorDirectory, parseUuid, type SessionId } from '@chapter/domain';
import { type Selectable, sql } from 'kysely';
import { batched } from '../connection/runner.ts';
import { anyIdOf, defineStatement, type Parameters, type Row, type Runner } from '../connection/statement.ts';
import { db, type Tables } from '../schema/tables.ts';
import { toGroups } from './user-rows.ts';

/** The columns of a user that rights depend on. */
export const ACTOR_COLUMNS = [
  'id',
  'username',
  'division_id',
  'groups',
  'is_active',
  'is_staff',
  'is_superuser',
] as const;

type ActorRow = Row<Selectable<Tables['user_account']>, typeof ACTOR_COLUMNS>;

const toActor = ([id, username, divisionId, groups, isActive, isStaff, isSuperuser]: ActorRow): Actor => ({
  id,
  username,
  divisionId,
  groups: toGroups(groups),
  isActive,
  isStaff,
  isSuperuser,
});

const FIND_ACTORS = defineStatement(
  'find-actors',
  (value: Parameters<{ sessionIds: readonly SessionId[] }>) =>
    db
      .selectFrom('session as s')
      .innerJoin('user_account as u', 'u.id', 's.user_id')
      .select('s.id as session_id')
      .select(ACTOR_COLUMNS.map((column) => `u.${column}` as const))
      .where('s.id', '=', anyIdOf(value('sessionIds')))
      .where('s.expires_at', '>', sql<string>`now()`)
      .where('u.is_active', '=', sql.lit(true)),
  { columns: ['session_id', ...ACTOR_COLUMNS] },
);

/** Makes the directory of actors. It reads current rights; the database's clock decides which sessions have expired. */
export const makeActorDirectory = (runner: Runner): ActorDirectory => {
  const load = batched(async (sessionIds: readonly string[]) => {
    const rows = await FIND_ACTORS.run(runner, { sessionIds });
    const bySession = new Map(rows.map(([session, ...actor]) => [session, toActor(actor)]));
    return sessionIds.map((id): Actor | undefined => bySession.get(id));
  });
  return {
    find: async (userId, sessionId) => {
      // One malformed UUID would fail the statement for all look-ups in the batch.
      const actor = parseUuid(sessionId) === sessionId ? await load(sessionId) : undefined;
      return actor?.id === userId ? actor : null;
    },
  };
};
