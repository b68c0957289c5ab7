import { type Actor, type ActorDirectory, parseUuid } from '@chapter/domain';
import { batched } from '../connection/batch.ts';
import type { Runner } from '../connection/statement.ts';
import { ACTOR_COLUMNS, type ActorRow, toActor } from '../schema/rows.ts';

const FIND = {
  name: 'find-actors',
  text: `select s.id, ${ACTOR_COLUMNS.join(', ')}
    from session s join user_account u on u.id = s.user_id
    where s.id = any($1::uuid[]) and s.expires_at > now() and u.is_active`,
};

/** Rights as they are in the database at the moment of the question, whose clock decides which sessions have expired. */
export const makeActorDirectory = (runner: Runner): ActorDirectory => {
  const load = batched(async (sessionIds: readonly string[]) => {
    const rows = await runner.query<readonly [sessionId: string, ...ActorRow]>(FIND, [sessionIds]);
    const bySession = new Map(rows.map(([session, ...actor]) => [session, toActor(actor)]));
    return sessionIds.map((id): Actor | undefined => bySession.get(id));
  });
  return {
    find: async (userId, sessionId) => {
      // One value that is no UUID would spoil the statement for all who share it.
      const actor = parseUuid(sessionId) === sessionId ? await load(sessionId) : undefined;
      return actor?.id === userId ? actor : null;
    },
  };
};
