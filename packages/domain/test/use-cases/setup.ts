import {
  type Actor,
  type DomainError,
  type DomainErrorCode,
  type Group,
  invalidToken,
  makeUseCases,
  OPERATOR,
  type PasswordHasher,
  type Ports,
  type User,
} from '@chapter/domain';
import { makeWorld, type World } from '@chapter/domain/testing';
import { expect } from 'chai';

/** A hasher that can be read: the hash is the password behind a mark of its strength. */
const makeHasher = (): PasswordHasher & { readonly work: { count: number } } => {
  const work = { count: 0 };
  return {
    work,
    hash: (password) => {
      work.count++;
      return Promise.resolve(`strong:${password}`);
    },
    verify: (password, hash) => {
      work.count++;
      return Promise.resolve(hash === `strong:${password}` || hash === `weak:${password}`);
    },
    isWeak: (hash) => hash.startsWith('weak:'),
  };
};

/** A chapter of two divisions on the twins, with a member of every kind in the first and a Leader in the second. */
export const makeChapter = async () => {
  const world: World = makeWorld();
  const hasher = makeHasher();
  let tokens = 0;
  const ports: Ports = {
    ...world,
    hasher,
    commonPasswords: { has: (text) => text === 'password123' },
    accessTokens: {
      issue: (claims) => Promise.resolve({ token: JSON.stringify(claims), expiresIn: 900 }),
      verify: (token) => (token.startsWith('{') ? Promise.resolve(JSON.parse(token)) : Promise.reject(invalidToken())),
      keys: () => ({ keys: [] }),
    },
    refreshTokens: {
      issue: () => ({ token: `refresh-${++tokens}`, digest: `digest of refresh-${tokens}` }),
      digestOf: (token) => `digest of ${token}`,
    },
    publicAddress: { current: () => '192.0.2.1' },
    refreshLifetime: 1_209_600,
  };
  const [north, south] = await Promise.all(
    ['North', 'South'].map((name) =>
      world.divisions.create(OPERATOR, { id: world.ids.next(), name, logo: null, fanpage: null }),
    ),
  );
  if (!north || !south) throw new Error('there are two divisions');

  const admit = async (
    username: string,
    groups: readonly Group[],
    more: Partial<User> & { passwordHash?: string | null } = {},
  ) => {
    const created = await world.users.create(
      OPERATOR,
      {
        id: world.ids.next(),
        username,
        email: null,
        firstName: '',
        lastName: '',
        groups,
        birthdate: null,
        isActive: true,
        isStaff: false,
        isSuperuser: false,
        dateJoined: world.clock.now(),
        passwordHash: `strong:${username}-secret`,
        divisionId: north.id,
        ...more,
      },
      () => {},
    );
    if (!('user' in created)) throw new Error('created under no key');
    return created.user;
  };

  return {
    world,
    ports,
    work: hasher.work,
    useCases: makeUseCases(ports),
    north,
    south,
    admit,
    lead: await admit('lead', ['Leader']),
    guest: await admit('guest', ['Guest']),
    user: await admit('user', ['User']),
    elsewhere: await admit('elsewhere', ['Leader'], { divisionId: south.id } as Partial<User>),
  };
};

/** A chapter of {@link makeChapter}. */
export type Chapter = Awaited<ReturnType<typeof makeChapter>>;

/** A stored user as who acts. */
export const acting = (user: User): Actor => ({
  id: user.id,
  username: user.username,
  divisionId: user.division.id,
  groups: user.groups,
  isActive: user.isActive,
  isStaff: user.isStaff,
  isSuperuser: user.isSuperuser,
  origin: { requestId: 'request-1', network: '192.0.2.0/24' },
});

/** Expects a refusal with the given code, and answers it. */
export const refusal = async (code: DomainErrorCode, attempt: () => unknown): Promise<DomainError> => {
  try {
    await attempt();
  } catch (error) {
    expect(error).to.have.property('code', code);
    return error as DomainError;
  }
  return expect.fail(`was not refused with ${code}`);
};

/** An `ask` that must not be asked. */
export const unasked = () => expect.fail('was asked for what the caller may not do');

/** The faults of a refusal as `field code`. */
export const faultsOf = ({ faults }: DomainError): string[] => faults.map(({ field, code }) => `${field} ${code}`);
