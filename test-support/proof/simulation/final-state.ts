import { requireSame } from './difference.ts';
import { openLinkOf } from './model/links.ts';
import { callerOf, modelSessionsOf } from './model/sessions.ts';
import type { Model, ModelEntry } from './model/state.ts';
import { changesAsText } from './model/users.ts';
import { requireActor, requireUser } from './views.ts';
import type { SimulatedWorld } from './world.ts';

const MAX_ENTRIES_OF_HISTORY = 500;

/** The actions whose entries are compared with all changes. Entries of other actions are compared with the username only. */
const CHANGES: ReadonlySet<string> = new Set(['updateUser', 'moveUser', 'updateDivision', 'redeemPasswordLink']);

/** The actions by which the operator stores the people before the history starts. */
const START: ReadonlySet<string> = new Set(['createDivision', 'createUser']);

/** Returns the compared parts of the audit entries. */
const entriesOf = async ({ audit }: SimulatedWorld, { divisions }: Model): Promise<readonly ModelEntry[]> => {
  const found = [];
  for (const divisionId of divisions.keys()) {
    found.push(...(await audit.list({ divisionId, limit: MAX_ENTRIES_OF_HISTORY })));
  }
  return found
    .filter(({ action, authorId }) => authorId !== null || !START.has(action))
    .map(({ action, authorId, targetId, requestId, changes }) => {
      const changed = Object.entries(changes).filter(([field]) => CHANGES.has(action) || field === 'username');
      const text = changesAsText(
        changed.map(([field, { new: value }]) => (field === 'password' ? field : [field, value])),
      );
      return { action, authorId, targetId, requestId, changes: text };
    });
};

const sorted = (entries: readonly ModelEntry[]) =>
  entries
    .map(({ requestId, action, authorId, targetId, changes }) =>
      [requestId, action, authorId, targetId, changes].join(' '),
    )
    .toSorted();

/** Compares the stored state with the model: users, passwords, links, sessions, the audit trail and the log of logins. */
export const requireFinalState = async (
  world: SimulatedWorld,
  model: Model,
  userIds: readonly string[],
  logins: number,
): Promise<void> => {
  const now = Date.parse(world.clock.now());
  for (const id of userIds) {
    const expected = model.users.get(id);
    const found = await world.credentials.find(id);
    requireUser(model, found && found.user, expected);
    const verified = await world.hasher.verify(expected?.password ?? '', found?.passwordHash ?? null);
    requireSame('whether the password verifies', verified, expected !== undefined);
    const active = (await world.sessions.list(id)).map((session) => session.id);
    requireSame('the active sessions of a user', active.toSorted(), modelSessionsOf(model, id, now));
  }
  for (const digest of model.digests) {
    const found = await world.passwordLinks.find(digest);
    requireSame('the user of an open link', found?.user.id, openLinkOf(model, digest, now)?.user.id);
  }
  for (const [sessionId, userId] of model.owners) {
    requireActor(await world.actors.find(userId, sessionId), callerOf(model, userId, sessionId, now));
  }
  requireSame('the audit trail', sorted(await entriesOf(world, model)), sorted(model.audit));
  requireSame('the number of logged logins', world.loginLog.entries.length, logins);
};
