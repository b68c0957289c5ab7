/** A call that waits for its turn. */
export interface WaitingCall {
  readonly isContinuation: boolean;
  /** Gives the call its place. */
  readonly begin: () => void;
}

/** A key of shares, with the numbers of its calls, including those of the keys below it. */
export interface Key {
  readonly above: Key | undefined;
  readonly name: string;
  readonly below: Map<string, Key>;
  running: number;
  waiting: number;
  /** The waiting calls of this share, continuations first. */
  readonly line: WaitingCall[];
  /** How many turns the keys below it have had. */
  turns: number;
  /** The turn of the key above in which it was served last. */
  servedAt: number;
  /** The turn in which a new key below it counts as served. */
  arrival: number;
  /** When one of its calls was last refused because it would have waited in vain. */
  refusedAt: number;
}

/** How many keys without calls may be below a key, in addition to twice the number of its calls. */
const MAX_IDLE_KEYS = 64;

/** Makes a key without calls. */
export const makeShareKey = (name: string, above?: Key): Key => ({
  above,
  name,
  below: new Map(),
  running: 0,
  waiting: 0,
  line: [],
  turns: 0,
  servedAt: 0,
  arrival: 0,
  refusedAt: Number.NEGATIVE_INFINITY,
});

const isIdle = ({ running, waiting }: Key): boolean => running + waiting === 0;

/**
 * Returns the turn in which a new key of a group counts as served: before the turns of as many keys as the group has
 * calls, with the new one, and not before earlier new keys. As the turns go on, a waiting key precedes all new ones.
 */
export const arrivalIn = (group: Key): number => {
  group.arrival = Math.max(group.arrival, group.turns - group.running - group.waiting - 1);
  return group.arrival;
};

/** Forgets the keys of a group that would be served no later if they were new. */
const forgetIdleKeys = (group: Key): void => {
  for (const key of group.below.values()) {
    if (isIdle(key) && key.servedAt <= arrivalIn(group)) group.below.delete(key.name);
  }
};

/** Returns the key of a share below `group`. Adds it if it is new. */
export const findKey = (group: Key, share: readonly string[]): Key => {
  let above = group;
  for (const name of share) {
    const known = above.below.get(name);
    const key = known ?? makeShareKey(name, above);
    if (isIdle(key)) key.servedAt = Math.max(key.servedAt, arrivalIn(above));
    if (!known) {
      if (above.below.size > MAX_IDLE_KEYS + 2 * (above.running + above.waiting)) forgetIdleKeys(above);
      above.below.set(name, key);
    }
    above = key;
  }
  return above;
};

/** Adds a number of calls to a key and those above it. */
export const addCalls = (last: Key, state: 'running' | 'waiting', calls: 1 | -1): void => {
  for (let key: Key | undefined = last; key; key = key.above) key[state] += calls;
};
