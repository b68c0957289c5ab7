import { expect } from 'chai';
import { type Simulated, simulate } from '../../../../test-support/proof/simulation/simulate.ts';
import type { SimulatedWorld } from '../../../../test-support/proof/simulation/world.ts';
import type { User, UserRepository, UserWrite, WrittenUser } from '../../src/ports/index.ts';

/** A bug, put into a world by wrapping one of its ports. */
type PlantedBug = (world: SimulatedWorld) => SimulatedWorld;

/** Returns a bug that replaces functions of one port. */
const inPort =
  <Name extends 'users' | 'sessions' | 'passwordLinks' | 'changes'>(
    name: Name,
    replace: (port: SimulatedWorld[Name], world: SimulatedWorld) => Partial<SimulatedWorld[Name]>,
  ): PlantedBug =>
  (world) => ({ ...world, [name]: { ...world[name], ...replace(world[name], world) } });

type Write = UserRepository['write'];

/** Returns a bug that changes the write of users. */
const withWrite = (change: (write: Write) => Write): PlantedBug =>
  inPort('users', (users) => ({ write: change((...call) => users.write(...call)) }));

/** Returns a bug with which `alter` changes what writes of users decide. */
const withDecisions = (alter: (write: UserWrite, target: WrittenUser) => UserWrite | 'unchanged'): PlantedBug =>
  withWrite(
    (write) => (author, target, decide) =>
      write(author, target, (locked) => {
        const decided = decide(locked);
        return decided === 'unchanged' ? decided : alter(decided, target);
      }),
  );

/** In the transaction of this kind of write, the rights of a Leader and Administrator replace the caller's. */
const writesWithoutRecheck = (kind: UserWrite['kind']): PlantedBug =>
  withWrite(
    (write) => (author, target, decide) =>
      write(author, target, (locked) => {
        const { user } = locked;
        const actor = { ...user, id: author.userId ?? '', divisionId: user.division.id, groups: ['Leader'] as const };
        const decided = decide({ ...locked, actor: { ...actor, isActive: true, isSuperuser: true } });
        return decided !== 'unchanged' && decided.kind === kind ? decided : decide(locked);
      }),
  );

/** Bugs that a simulation must find, by description. */
const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'a deletion without the check in its transaction': writesWithoutRecheck('delete'),
  'an update without the checks in its transaction': writesWithoutRecheck('change'),
  // A creation does not check the caller's rights again in its transaction.
  'a creation without the check in its transaction': inPort('users', (users) => ({
    create: (author, user, _permit, creation) => users.create(author, user, () => {}, creation),
  })),
  // The check before a creation ignores the caller's present rights.
  'a check of a creation without the rights of the caller': inPort('users', (users) => ({
    checkCreation: (author, user, _permit, creation) => users.checkCreation(author, user, () => {}, creation),
  })),
  'sessions that do not end with a new password or a deactivation': withDecisions((write) =>
    write.kind === 'change' ? { ...write, endsSessions: false } : write,
  ),
  // An update changes the user as read before the transaction, which undoes changes in between.
  'an update that undoes another': inPort('users', (users) => {
    const read = new Map<string, User>();
    return {
      find: async (id) => {
        const user = await users.find(id);
        if (user) read.set(id, user);
        return user;
      },
      write: (author, target, decide) =>
        users.write(author, target, (locked) => {
          const { revision, division } = locked.user;
          return decide({ ...locked, user: { ...(read.get(target.id) ?? locked.user), revision, division } });
        }),
    };
  }),
  'a last Leader who can be removed': withWrite(
    (write) => (author, target, decide) =>
      write(author, target, (locked) => decide({ ...locked, isLastLeader: false })),
  ),
  // Without force, the operator can move the last active Leader out of a division that has other members.
  'a last Leader who can be moved away': withWrite(
    (write) => (author, target, decide) =>
      write(author, target, (locked) => decide({ ...locked, leadsOthersAlone: false })),
  ),
  // A session starts although the password was changed after it was checked.
  'a login that races a change of the password': inPort('sessions', (sessions, world) => ({
    start: async (session, checked) => {
      const present = await world.credentials.find(session.userId);
      return sessions.start(session, present?.passwordHash ?? checked);
    },
  })),
  'a consumed refresh token that is refused without ending its session': inPort('sessions', (sessions) => {
    const consumed = new Set<string>();
    return {
      rotate: async (rotation) => {
        if (consumed.has(rotation.digest)) return null;
        consumed.add(rotation.digest);
        return sessions.rotate(rotation);
      },
    };
  }),
  // A repeated creation with an idempotency key creates again.
  'a creation that ignores its idempotency key': inPort('users', (users) => ({
    checkCreation: (author, user, permit) => users.checkCreation(author, user, permit),
    create: (author, user, permit) => users.create(author, user, permit),
  })),
  'a deletion that is acknowledged but not performed': withDecisions((write) =>
    write.kind === 'delete' ? 'unchanged' : write,
  ),
  // The service confirms the end of a session by its id, but the session stays active.
  'the end of a session that is acknowledged but not performed': inPort('sessions', () => ({
    endOne: async () => true,
  })),
  // In its transaction, a redemption treats the user as active, and the link as one of the operator, who needs no right.
  'a redemption without the checks in its transaction': inPort('passwordLinks', (passwordLinks) => ({
    redeem: (digest, requestId, decide) =>
      passwordLinks.redeem(digest, requestId, ({ user }) =>
        decide({ user: { ...user, isActive: true }, issuerId: null, issuer: null }),
      ),
  })),
  // A creation of a link does not check the caller's rights again in its transaction.
  'a link without the check in its transaction': inPort('passwordLinks', (passwordLinks) => ({
    create: (author, link) => passwordLinks.create(author, link, () => {}),
  })),
  // Links live a day longer than the service says.
  'a link that does not expire in time': inPort('passwordLinks', (passwordLinks) => ({
    create: async (author, link, permit) => {
      const day = 24 * 60 * 60;
      const expiresAt = await passwordLinks.create(author, { ...link, lifetime: link.lifetime + day }, permit);
      return new Date(Date.parse(expiresAt) - day * 1000).toISOString();
    },
  })),
  // A move does not void the user's link.
  'a link that is not void after a move': withDecisions((write, { divisionId }) =>
    divisionId === undefined ? write : { ...write, voidsLink: false },
  ),
  // A change of a flag or of the password does not void the user's link.
  'a link that is not void after a change of its user': withDecisions((write, { divisionId }) =>
    divisionId === undefined && write.kind === 'change' ? { ...write, voidsLink: false } : write,
  ),
  // A full page lacks its first entry, and the feed continues after its last one.
  'a feed that skips an entry of a full page': inPort('changes', (changes) => ({
    list: async (divisionId, query) => {
      const page = await changes.list(divisionId, query);
      return page && page.entries.length === query.size ? { ...page, entries: page.entries.slice(1) } : page;
    },
  })),
  'a link that is redeemed twice': inPort('passwordLinks', (passwordLinks) => ({
    redeem: (digest, requestId, decide) =>
      passwordLinks.redeem(digest, requestId, (link) => ({ ...decide(link), voidsLink: false })),
  })),
};

/** A share of the histories that `npm run prove` runs. Every planted bug must be found in them; most are within the first hundred. */
const HISTORIES = 1000;

/** Outcomes of commands that the histories must reach to be meaningful. */
const OUTCOMES = Object.entries({
  createUser: 'ok username_taken idempotency_conflict forbidden invalid_token',
  updateUser:
    'ok field_forbidden forbidden not_found validation_failed precondition_failed last_leader username_taken email_taken invalid_token unavailable',
  deleteUser: 'ok forbidden not_found precondition_failed last_leader invalid_token',
  updateDivision: 'ok name_taken',
  getUser: 'ok',
  logIn: 'ok invalid_credentials unavailable',
  refreshSession: 'ok invalid_token',
  endSession: 'ok',
  createPasswordLink: 'ok forbidden not_found invalid_token',
  redeemPasswordLink: 'ok invalid_token unavailable',
  moveUser: 'ok forbidden last_leader',
  linkUser: 'ok not_found',
  setUser: 'ok not_found last_leader',
}).flatMap(([command, outcomes]) => outcomes.split(' ').map((outcome) => `${command} ${outcome}`));

describe('Simulated histories of concurrent clients', function () {
  this.timeout(300_000);
  let simulated: Simulated;

  before(async () => {
    simulated = await simulate({ seed: 1, histories: HISTORIES });
  });

  it('agree with a sequential model', () => {
    expect(simulated.differences).to.deep.equal([]);
    expect(simulated.histories).to.equal(HISTORIES);
  });

  it('reach every outcome', () => {
    expect([...simulated.outcomes.keys()]).to.include.members(OUTCOMES);
  });

  it('include port calls that fail and port calls that run twice', () => {
    expect(simulated.failures).to.be.above(0);
    expect(simulated.repeats).to.be.above(0);
  });
});

describe('A simulation', function () {
  this.timeout(300_000);

  for (const [bug, plant] of Object.entries(plantedBugs)) {
    it(`finds ${bug}, and reproduces it from its seed`, async () => {
      const { differences } = await simulate({ seed: 1, histories: HISTORIES, plant, maxDifferences: 1 });
      const [found] = differences;
      if (!found) expect.fail(`no difference in ${HISTORIES} histories`);
      console.log(`      found by seed ${found.seed}`);
      expect((await simulate({ seed: found.seed, histories: 1, plant })).differences).to.deep.equal([found]);
      expect((await simulate({ seed: found.seed, histories: 1 })).differences).to.deep.equal([]);
    });
  }
});
