import type { Random } from './random.ts';

/** A client that waits for its turn. */
interface Waiting {
  readonly client: number;
  readonly proceed: () => void;
}

/** Chooses the client that proceeds next. Returns its index in `waiting`, which is ordered by the start of the wait. */
export type Choose = (waiting: readonly Pick<Waiting, 'client'>[]) => number;

/** Runs several clients, one at a time. Each runs until it waits for its next turn. */
export interface Scheduler {
  /** Waits until the running client is chosen again. */
  turn(): Promise<void>;
  /** Returns the running client. */
  client(): number;
  /** Runs the clients to their ends. Rejects when one of them fails, and abandons the others. */
  run(clients: readonly (() => Promise<void>)[]): Promise<void>;
}

/** Makes a scheduler. `choose` decides on the order; `beforeTurn` runs before each turn. */
export const makeScheduler = (choose: Choose, beforeTurn: () => void): Scheduler => {
  let waiting: readonly Waiting[] = [];
  let running = -1;
  let pause: (() => void) | undefined;

  const turn = (): Promise<void> => {
    const client = running;
    if (waiting.some((other) => other.client === client)) {
      throw new Error('a use case makes two port calls at once; the scheduler orders only calls of different clients');
    }
    return new Promise((proceed) => {
      waiting = [...waiting, { client, proceed }];
      pause?.();
    });
  };

  /** Runs a client until it waits or ends. */
  const resume = (client: number, proceed: () => void): Promise<void> => {
    running = client;
    const paused = new Promise<void>((resolve) => {
      pause = resolve;
    });
    proceed();
    return paused;
  };

  return {
    turn,
    client: () => running,
    run: async (clients) => {
      const failures: unknown[] = [];
      const start = async (client: () => Promise<void>): Promise<void> => {
        try {
          await client();
        } catch (error) {
          failures.push(error);
        } finally {
          pause?.();
        }
      };
      for (const [at, client] of clients.entries()) await resume(at, () => void start(client));
      while (waiting.length > 0 && failures.length === 0) {
        beforeTurn();
        const chosen = waiting[choose(waiting)];
        if (!chosen) throw new Error('the scheduler chose a client that does not wait');
        waiting = waiting.filter((one) => one !== chosen);
        await resume(chosen.client, chosen.proceed);
      }
      if (failures.length > 0) throw failures[0];
    },
  };
};

/** Orders in which clients proceed, fair and unfair. Fixed orders sometimes choose at random, so that histories differ. */
export const orders = {
  uniform: (random) => (waiting) => random.below(waiting.length),
  'newest first': (random) => (waiting) => (random.chance(15) ? random.below(waiting.length) : waiting.length - 1),
  'oldest first': (random) => (waiting) => (random.chance(15) ? random.below(waiting.length) : 0),
  'one client first': (random, clients) => {
    const favourite = random.below(clients);
    return (waiting) => {
      const at = waiting.findIndex(({ client }) => client === favourite);
      return at < 0 || random.chance(10) ? random.below(waiting.length) : at;
    };
  },
  'one client starves': (random, clients) => {
    const starved = random.below(clients);
    return (waiting) => {
      const others = waiting.flatMap(({ client }, at) => (client === starved ? [] : [at]));
      return random.pick(others) ?? 0;
    };
  },
  bursts: (random) => {
    let last = -1;
    return (waiting) => {
      const at = waiting.findIndex(({ client }) => client === last);
      const next = at < 0 || random.chance(25) ? random.below(waiting.length) : at;
      last = waiting[next]?.client ?? -1;
      return next;
    };
  },
} satisfies Readonly<Record<string, (random: Random, clients: number) => Choose>>;
