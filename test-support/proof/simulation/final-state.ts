import type { ChangePosition } from '../../../packages/domain/src/ports/index.ts';
import { Difference, requireSame } from './difference.ts';
import { openLinkOf } from './model/links.ts';
import { callerOf, modelSessionsOf } from './model/sessions.ts';
import type { Model, ModelEntry } from './model/state.ts';
import { changesAsText } from './model/users.ts';
import { requireActor, requireUser } from './views.ts';
import type { SimulatedWorld } from './world.ts';

const PAGE_SIZE = 2;
const MAX_ENTRIES = 500;
/** On PostgreSQL, other histories on the same server delay the feed until their transactions end. */
const MAX_POLLS = 1000;

/** Clients that follow the feeds of divisions. */
interface Feeds {
  /** Reads what the feeds deliver now. */
  readonly poll: () => Promise<void>;
  /** Compares what they delivered with the audit trail. @throws Difference. */
  readonly requireAll: () => Promise<void>;
}

/** Makes a client for the feed of each division. */
export const followFeeds = ({ audit, changes }: SimulatedWorld, divisionIds: readonly string[]): Feeds => {
  const feeds = divisionIds.map((divisionId) => ({
    divisionId,
    after: '' as ChangePosition,
    delivered: [] as string[],
  }));
  const poll = async (): Promise<void> => {
    for (const feed of feeds) {
      for (let hasMore = true; hasMore; ) {
        const query = { side: 'after', position: feed.after, size: PAGE_SIZE } as const;
        const page = await changes.list(feed.divisionId, query);
        if (!page) throw new Difference('the position that a feed returned does not exist');
        feed.delivered.push(...page.entries.map(({ id }) => id));
        feed.after = page.after;
        hasMore = page.next !== null;
      }
    }
  };
  return {
    poll,
    requireAll: async () => {
      for (const feed of feeds) {
        const entries = await audit.list({ divisionId: feed.divisionId, limit: MAX_ENTRIES });
        for (let left = MAX_POLLS; left > 0 && feed.delivered.length < entries.length; left -= 1) await poll();
        const ids = entries.map(({ id }) => id).toSorted();
        requireSame('the entries that a feed delivered', feed.delivered.toSorted(), ids);
      }
    },
  };
};

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
