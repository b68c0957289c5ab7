import {
  type Actor,
  actorOf,
  type DomainError,
  type DomainErrorCode,
  type Group,
  makeAuthenticate,
  makeUseCases,
  type User,
} from '@chapter/domain';
import { aDivision, aUser, fakeHash, makeWorld, passwordIn, storeDivision, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';

/** A chapter of two divisions on in-memory adapters, with a member of every kind in the first and a Leader in the second. */
export const makeChapter = async () => {
  const world = makeWorld();
  const [north, south] = [
    await storeDivision(world, aDivision().with({ name: 'North' })),
    await storeDivision(world, aDivision().with({ name: 'South' })),
  ];

  const admit = (
    username: string,
    groups: readonly Group[],
    { passwordHash = fakeHash(`${username}-secret`), ...more }: Partial<User> & { passwordHash?: string | null } = {},
  ) =>
    storeUser(
      world,
      aUser()
        .of(north)
        .with({ id: world.ids.next(), dateJoined: world.clock.now(), username, groups, ...more }),
      passwordHash,
    );

  const useCases = makeUseCases(world);
  const members = {
    lead: await admit('lead', ['Leader']),
    guest: await admit('guest', ['Guest']),
    user: await admit('user', ['User']),
    elsewhere: await admit('elsewhere', ['Leader'], { division: south }),
  };
  return {
    world,
    useCases,
    north,
    south,
    admit,
    ...members,
    logIn: (username: string, password: string, network = '192.0.2.0/24') =>
      useCases.logIn({ username, password, network }),
    /** Returns the rights of the user of a token. */
    authenticate: async (token: string, action = 'getInfo') =>
      (await makeAuthenticate(world)(token)).readRights({ requestId: 'r', network: 'n' }, action),
    /** Changes fields of a user as a member. */
    update: (who: keyof typeof members, { id }: { id: string }, fields: Record<string, unknown>) =>
      useCases.updateUser(acting(members[who]), id, () => ({ fields })),
    passwordOf: async ({ id }: { id: string }) => passwordIn((await world.credentials.find(id))?.passwordHash ?? ''),
  };
};

/** The result of {@link makeChapter}. */
export type Chapter = Awaited<ReturnType<typeof makeChapter>>;

/** For a `describe`: gives each test a new chapter, as an object that has its properties only while tests run. */
export const useChapter = (): Chapter => {
  const chapter = {} as Chapter;
  beforeEach(async () => void Object.assign(chapter, await makeChapter()));
  return chapter;
};

/** Returns a stored user as actor. */
export const acting = (user: User): Actor => ({
  ...actorOf(user),
  origin: { requestId: 'request-1', network: '192.0.2.0/24' },
});

/** Expects a refusal with the given code, and returns it. */
export const refusal = async (code: DomainErrorCode, attempt: () => unknown): Promise<DomainError> => {
  try {
    await attempt();
  } catch (error) {
    expect(error).to.have.property('code', code);
    return error as DomainError;
  }
  return expect.fail(`was not refused with ${code}`);
};

/** A `readInput` that must not be called. */
export const unasked = () => expect.fail('read the input before authorization');

/** Formats the faults of a refusal as `field code`. */
export const faultsOf = ({ faults }: DomainError): string[] => faults.map(({ field, code }) => `${field} ${code}`);
