import { DomainError, forbidden, type LockedUser, OPERATOR, type User } from '@chapter/domain/ports';
import {
  aLeader,
  asNewUser,
  aUser,
  changeDivision,
  decideChange,
  deleteUser,
  storeUser,
} from '@chapter/domain/testing';
import { expect } from 'chai';
import { connectPostgres, type Database } from '../../src/index.ts';
import { by, change } from '../support/changes.ts';
import { useWorld } from '../support/use-world.ts';

/** Concurrent loops that write until they are stopped. */
interface Loops {
  /** Returns the number of successful writes. */
  readonly writes: () => number;
  /** Resolves after `count` more writes. Rejects if a loop fails. */
  readonly untilWrites: (count: number) => Promise<void>;
  /** Stops the loops and waits for them. @throws the error of a loop that failed. */
  readonly stop: () => Promise<void>;
}

const isRefusal = (error: unknown): boolean => error instanceof DomainError && error.code === 'forbidden';

/** Starts loops that call `write` with their index and a counter. A `forbidden` write is retried. */
const startLoops = (count: number, write: (at: number, time: number) => Promise<unknown>): Loops => {
  const stopping = new AbortController();
  let writes = 0;
  let waiting: { readonly target: number; readonly resolve: () => void } | undefined;
  const loop = async (at: number): Promise<void> => {
    for (let time = 0; !stopping.signal.aborted; time++) {
      const succeeded = await write(at, time).then(
        () => true,
        (error: unknown) => (isRefusal(error) ? false : Promise.reject(error)),
      );
      if (!succeeded) continue;
      writes += 1;
      if (waiting && writes >= waiting.target) waiting.resolve();
    }
  };
  const running = Promise.all(Array.from({ length: count }, (_, at) => loop(at)));
  running.catch(() => {});
  return {
    writes: () => writes,
    untilWrites: async (more) => {
      const reached = new Promise<void>((resolve) => {
        waiting = { target: writes + more, resolve };
      });
      await Promise.race([reached, running]);
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};

const WRITERS = 24;
const REPETITIONS = 20;
/** Writes that may commit between the call of a change and its end. Each loop completes a few before the change queues. */
const MAX_WRITES = WRITERS * 20;

const requireLeader = ({ actor }: Pick<LockedUser, 'actor'>): void => {
  if (!actor?.isActive || !actor.groups.includes('Leader')) throw forbidden('only a Leader may do this');
};

describe(`Locks under ${WRITERS} loops of writes by one Leader`, () => {
  const world = useWorld();
  let writing: Database;
  let changing: Database;
  let ada: User;
  let eve: User;
  let members: readonly User[];

  before(() => {
    const { clock, ids, url } = world();
    writing = connectPostgres({ url, clock, ids, poolSize: WRITERS });
    changing = connectPostgres({ url, clock, ids, poolSize: 1 });
  });
  after(() => Promise.all([writing.close(), changing.close()]));

  beforeEach(async () => {
    ada = await storeUser(world(), aLeader(), 'old hash');
    eve = await storeUser(world(), aLeader().of(ada.division));
    const people = Array.from({ length: WRITERS }, () => aUser().of(ada.division));
    members = await Promise.all(people.map((person) => storeUser(world(), person)));
    await change(changing, OPERATOR, eve, { firstName: 'Eve' });
  });

  const rename = (at: number, time: number): Promise<unknown> =>
    writing.users.write(by(ada), { id: members[at]?.id ?? '' }, (locked) => {
      requireLeader(locked);
      return decideChange(locked, { values: { firstName: `${time}` } });
    });
  const create = (): Promise<unknown> =>
    writing.users.create(by(ada), asNewUser(aUser().of(ada.division)), (actor) => requireLeader({ actor }));

  const restore = async (): Promise<void> => {
    if (await changing.users.find(ada.id)) {
      await change(changing, OPERATOR, ada, { groups: ['Leader'], isActive: true }, 'old hash');
    } else await storeUser(world(), aLeader().of(ada.division).with(ada), 'old hash');
  };

  interface Contest {
    readonly title: string;
    readonly write: (at: number, time: number) => Promise<unknown>;
    readonly change: (time: number) => Promise<unknown>;
  }
  const contests: readonly Contest[] = [
    {
      title: 'lets another Leader remove the writer from group Leader',
      write: rename,
      change: () => change(changing, by(eve), ada, { groups: ['User'] }),
    },
    {
      title: 'lets another Leader deactivate the writer',
      write: rename,
      change: () => change(changing, by(eve), ada, { isActive: false }),
    },
    {
      title: 'lets another Leader change the password of the writer',
      write: rename,
      change: (time) => change(changing, by(eve), ada, {}, `hash ${time}`),
    },
    {
      title: 'lets another Leader delete the writer',
      write: rename,
      change: () => deleteUser(changing, ada.id, by(eve)),
    },
    {
      title: 'lets the operator remove the writer from group Leader',
      write: rename,
      change: () => change(changing, OPERATOR, ada, { groups: ['User'] }),
    },
    {
      title: 'lets a login replace the weak hash of the writer',
      write: rename,
      change: () => changing.credentials.renew(ada.id, 'old hash', 'new hash'),
    },
    {
      title: 'lets another Leader rename the division in which the writer creates users',
      write: create,
      change: (time) => changeDivision(changing, ada.division.id, { name: `Name ${time}` }, by(eve)),
    },
  ];

  for (const contest of contests) {
    it(`${contest.title}, ${REPETITIONS} times in a row, each after at most ${MAX_WRITES} writes`, async () => {
      const loops = startLoops(WRITERS, contest.write);
      try {
        for (let time = 0; time < REPETITIONS; time++) {
          await loops.untilWrites(WRITERS);
          const before = loops.writes();
          await contest.change(time);
          expect(loops.writes() - before).to.be.at.most(MAX_WRITES);
          await restore();
        }
      } finally {
        await loops.stop();
      }
    });
  }
});
