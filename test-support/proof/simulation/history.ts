import type { ChangePosition } from '../../../packages/domain/src/ports/index.ts';
import { Difference, requireSame } from './difference.ts';
import { makeExecute } from './execute.ts';
import { generate, generateOperation, type Knowledge, THEMES } from './generate.ts';
import { openLinkOf } from './model/links.ts';
import { callerOf, modelSessionsOf } from './model/sessions.ts';
import { type Model, type ModelEntry, makeModel } from './model/state.ts';
import { changesAsText } from './model/users.ts';
import type { Faults, Simulation } from './ports/call.ts';
import { makeRandom, type Random } from './random.ts';
import type { Run } from './run.ts';
import { makeScheduler, orders } from './scheduler.ts';
import { requireActor, requireUser } from './views.ts';
import { type SimulatedWorld, storePeople } from './world.ts';

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
const followFeeds = ({ audit, changes }: SimulatedWorld, divisionIds: readonly string[]): Feeds => {
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

/** The actions whose entries are compared with all changes. Entries of other actions are compared with the username only. */
const CHANGES: ReadonlySet<string> = new Set(['updateUser', 'moveUser', 'updateDivision', 'redeemPasswordLink']);

/** The actions by which the operator stores the people before the history starts. */
const START: ReadonlySet<string> = new Set(['createDivision', 'createUser']);

/** Returns the compared parts of the audit entries. */
const entriesOf = async ({ audit }: SimulatedWorld, { divisions }: Model): Promise<readonly ModelEntry[]> => {
  const found = [];
  for (const divisionId of divisions.keys()) {
    found.push(...(await audit.list({ divisionId, limit: MAX_ENTRIES })));
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
const requireFinalState = async (
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

const FAULTS: readonly [Faults, ...Faults[]] = [
  { before: 0, after: 0, repeated: 0 },
  { before: 0, after: 0, repeated: 10 },
  { before: 1, after: 1, repeated: 5 },
  { before: 0, after: 5, repeated: 0 },
];

/** Steps that stay within the grace period of 10 s, steps that exceed it or a lifetime, and parts of the longest lifetimes. */
const CLOCK_STEPS_SECONDS = [1, 4, 9, 11, 16 * 60, 72 * 3600, 10 * 24 * 3600, 30 * 24 * 3600] as const;

/** The properties of a history. */
interface Plan {
  readonly theme: (typeof THEMES)[number];
  readonly order: keyof typeof orders;
  /** The id of the user that each client acts for. */
  readonly clientUserIds: readonly string[];
  readonly faults: Faults;
  /** Percentage of turns before which the clock advances. */
  readonly clockStepPercent: number;
  /** Whether the operator moves, links and changes users at the same time. */
  readonly hasOperator: boolean;
}

const ORDERS = Object.keys(orders) as [keyof typeof orders];

/** Draws the properties of a history: three to five clients for the given people. */
const drawPlan = (random: Random, people: readonly string[]): Plan => {
  const theme = random.pick(THEMES);
  // Sessions race only if clients share them. In other themes, the two Leaders of one division always take part.
  const drawUserId = (at: number): string =>
    people[theme === 'sessions' ? random.below(2) : at < 2 ? at : random.below(people.length)] ?? '';
  return {
    theme,
    clientUserIds: Array.from({ length: 3 + random.below(3) }, (_, at) => drawUserId(at)),
    order: random.pick(ORDERS),
    faults: random.pick(FAULTS),
    clockStepPercent: random.pick([0, 0, 1, 5]),
    hasOperator: random.chance(theme === 'links' ? 60 : 15),
  };
};

/** Counts of the events in a history. */
export interface HistoryCounts {
  readonly commands: number;
  /** Port calls and reads of bodies; the scheduler gives each a turn. */
  readonly turns: number;
  /** Port calls that the simulation made fail. */
  readonly failures: number;
  /** Port calls that the simulation ran twice. */
  readonly repeats: number;
  /** The number of commands by kind and outcome. */
  readonly outcomes: ReadonlyMap<string, number>;
}

const OPERATIONS = 3;
const MAX_PAUSE_TURNS = 30;

const total = (numbers: Iterable<number>): number => [...numbers].reduce((sum, number) => sum + number, 0);

/** Runs the history of a seed. @throws Difference. */
export const runHistory = async (
  seed: number,
  world: SimulatedWorld,
  trace: (line: () => string) => void = () => {},
): Promise<HistoryCounts> => {
  const random = makeRandom(seed);
  const model = makeModel();
  await storePeople(world, model, random);
  const userIds = [...model.users.keys()];
  const { theme, order, clientUserIds, faults, clockStepPercent, hasOperator } = drawPlan(random, userIds);
  trace(
    () => `theme: ${theme}; order: ${order}; faults: ${JSON.stringify(faults)}; clock steps: ${clockStepPercent} %`,
  );

  const scheduler = makeScheduler(orders[order](random, clientUserIds.length), () => {
    if (random.chance(clockStepPercent)) world.clock.advance(random.pick(CLOCK_STEPS_SECONDS));
  });
  const runs: Run[] = [];
  const counts = { turns: 0, failures: 0, repeats: 0 };
  const run = () => runs[scheduler.client()] as Run;
  const simulation: Simulation = { world, model, scheduler, random, faults, run, trace, counts };
  const { prefix } = world;
  const knowledge: Knowledge = {
    prefix,
    userIds,
    tokens: new Map(),
    links: [],
    creations: new Map(),
    revisions: new Map(),
    names: 0,
  };
  const outcomes = new Map<string, number>();
  const perform = makeExecute(simulation, knowledge, runs, outcomes);
  const feeds = followFeeds(world, [...model.divisions.keys()]);
  const execute: typeof perform = async (...command) => {
    await perform(...command);
    await feeds.poll();
  };

  const client = (ownId: string, at: number) => async (): Promise<void> => {
    let userId = ownId;
    for (let left = theme === 'sessions' || theme === 'links' ? 6 : 3 + random.below(3); left > 0; left--) {
      if (!model.users.has(userId)) userId = random.pick([...model.users.keys()]) ?? '';
      const user = model.users.get(userId);
      if (user) await execute(at, userId, generate(random, model, knowledge, theme, user));
    }
  };
  const operator = async (): Promise<void> => {
    for (let left = OPERATIONS; left > 0; left--) {
      // Without pauses, the operator is done before the clients have logged in.
      for (let turns = random.below(MAX_PAUSE_TURNS); turns > 0; turns--) await scheduler.turn();
      await execute(clientUserIds.length, null, generateOperation(random, model, knowledge));
    }
  };
  await scheduler.run([...clientUserIds.map(client), ...(hasOperator ? [operator] : [])]);

  const logins = [...outcomes].flatMap(([end, count]) => (end.startsWith('logIn ') ? [count] : []));
  await requireFinalState(world, model, userIds, total(logins));
  await feeds.requireAll();
  return { commands: total(outcomes.values()), ...counts, outcomes };
};
