import { DomainError, forbidden, type LockedUser, OPERATOR, type User } from '@chapter/domain/ports';
import { aLeader, aUser, decideChange, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { Database } from '../../src/index.ts';
import { by, change } from '../support/changes.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const isRefusal = (error: unknown): boolean => error instanceof DomainError && error.code === 'forbidden';

/** Starts loops that call `write` with their index and a counter. A `forbidden` write is retried. */
const startLoops = (count: number, write: (at: number, time: number) => Promise<unknown>) => {
  const stopping = new AbortController();
  let writes = 0;
  const loop = async (at: number): Promise<void> => {
    for (let time = 0; !stopping.signal.aborted; time++) {
      try {
        await write(at, time);
        writes += 1;
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
    }
  };
  const running = Promise.all(Array.from({ length: count }, (_, at) => loop(at)));
  running.catch(() => {});
  return {
    /** Returns the number of successful writes. */
    writes: () => writes,
    /** Resolves after `more` writes. Rejects if a loop fails. */
    untilWrites: async (more: number): Promise<void> => {
      const target = writes + more;
      await Promise.race([until(() => writes >= target || stopping.signal.aborted), running]);
    },
    /** Stops the loops and waits for them. @throws the error of a loop that failed. */
    stop: async (): Promise<void> => {
      stopping.abort();
      await running;
    },
  };
};

const WRITERS = 24;
const REPETITIONS = 20;
/** Writes that may commit between the call of a change and its end. Each loop completes a few before the change queues. */
const MAX_WRITES = WRITERS * 20;

const requireLeader = ({ actor }: LockedUser): void => {
  if (!actor?.isActive || !actor.groups.includes('Leader')) throw forbidden('only a Leader may do this');
};

describe(`Locks under ${WRITERS} loops of writes by one Leader`, () => {
  const world = useWorld();
  let writing: Database;
  let changing: Database;
  let ada: User;
  let eve: User;
  let members: readonly User[];

  beforeEach(async () => {
    writing = world().connect({ poolSize: WRITERS });
    changing = world().connect({ poolSize: 1 });
    ada = await storeUser(world(), aLeader());
    eve = await storeUser(world(), aLeader().of(ada.division));
    const people = Array.from({ length: WRITERS }, () => aUser().of(ada.division));
    members = await Promise.all(people.map((person) => storeUser(world(), person)));
    await change(changing, OPERATOR, eve, { firstName: 'Eve' });
  });

  it(`let another Leader demote the writer, ${REPETITIONS} times in a row, each after at most ${MAX_WRITES} writes`, async () => {
    const loops = startLoops(WRITERS, (at, time) =>
      writing.users.write(by(ada), { id: members[at]?.id ?? '' }, (locked) => {
        requireLeader(locked);
        return decideChange(locked, { values: { firstName: `${time}` } });
      }),
    );
    try {
      for (let time = 0; time < REPETITIONS; time++) {
        await loops.untilWrites(WRITERS);
        const before = loops.writes();
        await change(changing, by(eve), ada, { groups: ['User'] });
        expect(loops.writes() - before).to.be.at.most(MAX_WRITES);
        await change(changing, OPERATOR, ada, { groups: ['Leader'] });
      }
    } finally {
      await loops.stop();
    }
  });
});
