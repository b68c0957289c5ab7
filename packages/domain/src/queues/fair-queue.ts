import { rateLimited, unavailable } from '../model/errors.ts';
import type { Pause } from '../model/user.ts';
import { addCalls, arrivalIn, findKey, type Key, makeShareKey, type WaitingCall } from './keys.ts';

/**
 * Whose work it is, from the widest group to the caller: `['logins', network, username]`. No share of a queue is the
 * beginning of another.
 */
export type Share = readonly [string, ...string[]];

/** Options of a call. */
export interface QueuedCall {
  /** Whether the client has disconnected. Called when the turn comes; if true, the work does not run. */
  readonly isAbandoned?: (() => boolean) | undefined;
  /** Whether its request has had a turn before. It precedes the other calls of its share, and is never refused at once. */
  readonly isContinuation?: boolean;
  /** Pauses the place that the request holds in another queue, while the call waits in this one. */
  readonly pause?: Pause | undefined;
}

/**
 * Limits how many calls run at once, and shares the places among the callers: each key gets as many turns as its
 * siblings that have calls, however many calls it has. A new key is next.
 */
export interface FairQueue {
  /**
   * Runs `work` when its turn comes, at once if a place is free. `work` gets a function that pauses its own place. It
   * throws `unavailable` if the call has ended meanwhile.
   *
   * @throws DomainError `rate_limited` at once if the caller has used up its share of the waiting places; `unavailable` at
   *   once if the queue is full, after the maximum wait, and at its turn if the call is abandoned. `work` does not run then.
   */
  run<T>(share: Share, work: (pause: Pause) => Promise<T>, call?: QueuedCall): Promise<T>;
  /** Throws if a new call of this share would be refused now. */
  readonly requireRoom: (share: Share) => void;
  /** The numbers of running and waiting calls. */
  readonly use: () => { readonly running: number; readonly waiting: number };
}

/** The limits of a fair queue. */
export interface FairQueueLimits {
  /** Maximum number of calls that run at once. */
  readonly maxRunning: number;
  /** For each level of the shares: how many running calls may have the same key at this level. */
  readonly maxPerKey?: readonly number[];
  /**
   * How many calls may wait. The keys that have waiting calls share them equally. A key without a waiting call gets one
   * place beyond that, unless as many keys precede it.
   */
  readonly maxWaiting: number;
  /** Maximum time in milliseconds that a call waits. */
  readonly maxWaitMs?: number;
}

/** A monotonic clock in milliseconds, and timers. */
export interface Timers {
  /** Returns the milliseconds since an arbitrary instant. */
  readonly now: () => number;
  /** Runs `action` after some milliseconds. Returns a function that cancels it. */
  readonly start: (milliseconds: number, action: () => void) => () => void;
}

/** Maximum time in milliseconds that a call waits, unless the limits say otherwise. */
export const MAX_WAIT_MS = 3000;

/** Number of recent runs whose durations are used to estimate the next ones. */
const LATEST_RUNS = 4;

/** Milliseconds between two calls of a caller that are refused at once although there are waiting places. */
const REFUSAL_INTERVAL_MS = 10;

const TOO_MANY = 'too many requests at once; wait for the responses to the earlier ones';

/**
 * Makes a fair queue: of the keys that wait, the one that was served longest ago is next, at each level of the shares
 * (docs/decisions/0022). The memory is bounded by the number of calls, because keys without calls are forgotten.
 *
 * The queue also counts as full for a new key when the calls that precede it would take longer than the maximum wait, and for
 * another call of a key when those would take half of it. The estimate uses the shortest of the recent durations, so that a short
 * delay of the whole machine does not make the queue count as full. Most calls of a flood still wait in vain: clients that are
 * refused at once, and repeat at once, cost more than the wait. `traceWait` runs each wait for a turn.
 */
export const makeFairQueue = (
  { maxRunning, maxPerKey = [], maxWaiting, maxWaitMs = MAX_WAIT_MS }: FairQueueLimits,
  timers: Timers,
  traceWait = (wait: () => Promise<void>): Promise<void> => wait(),
): FairQueue => {
  const all = makeShareKey('');
  const durations = Array.from({ length: LATEST_RUNS }, () => 0);
  /** For each limited level of the shares: how many running calls have a key there. */
  const runningAt = maxPerKey.map(() => new Map<string, number>());

  const isAtLimit = (name: string, level: number): boolean =>
    (runningAt[level]?.get(name) ?? 0) >= (maxPerKey[level] ?? Number.POSITIVE_INFINITY);
  const hasPlace = (share: Share): boolean => all.running < maxRunning && !share.some(isAtLimit);
  const countOfEach = (share: Share, calls: 1 | -1): void => {
    for (const [level, name] of share.entries()) {
      const runningOf = runningAt[level];
      if (!runningOf) return;
      const running = (runningOf.get(name) ?? 0) + calls;
      if (running === 0) runningOf.delete(name);
      else runningOf.set(name, running);
    }
  };

  const begin = (share: Share): Key => {
    const last = findKey(all, share);
    addCalls(last, 'running', 1);
    for (let key = last; key.above; key = key.above) key.servedAt = ++key.above.turns;
    countOfEach(share, 1);
    return last;
  };

  /** Returns the waiting call of a group that is next and may run. */
  const nextIn = (group: Key, level = 0): WaitingCall | undefined => {
    let next = group.line[0];
    let servedAt = Number.POSITIVE_INFINITY;
    for (const key of group.below.values()) {
      if (key.waiting === 0 || key.servedAt >= servedAt || isAtLimit(key.name, level)) continue;
      const found = nextIn(key, level + 1);
      if (!found) continue;
      next = found;
      servedAt = key.servedAt;
    }
    return next;
  };

  const end = (share: Share, key: Key): void => {
    addCalls(key, 'running', -1);
    countOfEach(share, -1);
    // Starting the next call directly prevents a new call from taking its turn.
    while (all.waiting > 0 && all.running < maxRunning) {
      const next = nextIn(all);
      if (!next) return;
      next.begin();
    }
  };

  const mayRefuse = (key: Key): boolean => {
    const now = timers.now();
    const may = now - key.refusedAt >= REFUSAL_INTERVAL_MS;
    if (may) key.refusedAt = now;
    return may;
  };

  const requireRoom = (share: Share): void => {
    let places = maxWaiting;
    /** How many calls can begin before the maximum wait has passed. */
    let timely = (maxWaitMs * maxRunning) / Math.min(...durations);
    let group = all;
    for (const name of share) {
      const known = group.below.get(name);
      const servedAt = Math.max(known?.servedAt ?? 0, arrivalIn(group));
      let [waiting, preceding] = [0, 0];
      for (const key of group.below.values()) {
        if (key.waiting === 0) continue;
        waiting += 1;
        if (key.servedAt <= servedAt) preceding += 1;
      }
      if (!known?.waiting) {
        if (preceding >= Math.min(places, timely)) throw unavailable();
        return;
      }
      places /= waiting;
      timely /= waiting;
      group = known;
    }
    if (group.waiting >= places || (group.waiting >= timely / 2 && mayRefuse(group))) throw rateLimited(1, TOO_MANY);
  };

  const waitForTurn = (share: Share, isContinuation: boolean, take: (key: Key) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      const key = findKey(all, share);
      const { line } = key;
      const leave = (): void => {
        cancel();
        line.splice(line.indexOf(call), 1);
        addCalls(key, 'waiting', -1);
      };
      const call: WaitingCall = {
        isContinuation,
        begin: () => {
          leave();
          take(begin(share));
          resolve();
        },
      };
      const cancel = timers.start(maxWaitMs, () => {
        leave();
        reject(unavailable());
      });
      const firstNew = isContinuation ? line.findIndex((other) => !other.isContinuation) : -1;
      line.splice(firstNew === -1 ? line.length : firstNew, 0, call);
      addCalls(key, 'waiting', 1);
    });

  return {
    run: async (share, work, { isAbandoned, isContinuation = false, pause: pauseOther } = {}) => {
      let began = 0;
      let place: Key | undefined;
      let hasEnded = false;
      const take = (key: Key): void => {
        place = key;
        began = timers.now();
      };
      /** Takes a place now, or returns a promise of the turn. */
      const enter = (continues: boolean, pauseWhile?: Pause): Promise<void> | undefined => {
        if (!hasPlace(share)) {
          if (!continues) requireRoom(share);
          const turn = traceWait(() => waitForTurn(share, continues, take));
          return pauseWhile ? pauseWhile(() => turn) : turn;
        }
        take(begin(share));
        return undefined;
      };
      const leave = (): void => {
        if (place) end(share, place);
        place = undefined;
      };
      try {
        const turn = enter(isContinuation, pauseOther);
        if (turn) await turn;
        if (isAbandoned?.()) throw unavailable();
        const result = await work(async (inner) => {
          leave();
          // If it fails, what follows needs no place: it is short.
          const result = await inner();
          if (!hasEnded) await enter(true);
          if (hasEnded) {
            leave();
            throw unavailable();
          }
          return result;
        });
        durations.shift();
        durations.push(timers.now() - began);
        return result;
      } finally {
        hasEnded = true;
        leave();
      }
    },
    requireRoom,
    use: () => ({ running: all.running, waiting: all.waiting }),
  };
};
