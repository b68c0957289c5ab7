import {
  GROUPS,
  type Group,
  type NewUser,
  OPERATOR,
  type RefreshTokens,
} from '../../../packages/domain/src/ports/index.ts';
import { fakeHash, type InMemoryWorld, makeWorld, weakFakeHash } from '../../../packages/domain/src/testing/index.ts';
import { SESSION_TTL } from './model/sessions.ts';
import type { Model, ModelUser } from './model/state.ts';
import type { Random } from './random.ts';

/** All ports of the use cases, on one set of stored data. */
export interface SimulatedWorld extends Omit<InMemoryWorld, 'move'> {
  /** The prefix of every name, so that histories can share a database. */
  readonly prefix: string;
}

const familyOf = (token: string): string => token.split('/')[0] ?? '';

/** Returns the digests under which a world stores a token. */
export const digestsOf: RefreshTokens['digestsOf'] = (token) => ({
  digest: `digest of ${token}`,
  family: `digest of ${familyOf(token)}`,
});

/** Makes refresh tokens that begin with the prefix of a world. */
const makeRefreshTokens = (prefix: string): RefreshTokens => {
  let count = 0;
  return {
    issue: (previous) => {
      count += 1;
      const token = `${familyOf(previous ?? `${prefix}family-${count}`)}/refresh-token-${count}`;
      return { token, digest: digestsOf(token).digest };
    },
    digestsOf,
  };
};

/** Makes a world for simulations. */
export const asSimulated = (world: Omit<InMemoryWorld, 'move'>, prefix: string): SimulatedWorld => ({
  ...world,
  refreshTokens: makeRefreshTokens(prefix),
  sessionLifetime: SESSION_TTL,
  prefix,
});

/** Makes an empty world in memory. */
export const openInMemory = (): SimulatedWorld => asSimulated(makeWorld(), '');

/** The passwords that clients choose from. */
export const PASSWORDS = ['correct horse one', 'correct horse two', 'correct horse three'] as const;

interface Rights {
  readonly groups: readonly Group[];
  readonly isStaff?: boolean;
  readonly isSuperuser?: boolean;
}

/** Draws people: two Leaders of one division, two other members, a Leader of another division; their rights vary. */
const peopleOf = (random: Random): readonly (Rights & { readonly name: string; readonly division: 0 | 1 })[] => {
  const anyGroups = () => GROUPS.filter(() => random.chance(50));
  return [
    { name: 'ada', division: 0, groups: ['Leader'], isStaff: random.chance(25) },
    { name: 'eve', division: 0, groups: random.chance(80) ? ['Leader'] : anyGroups() },
    { name: 'gus', division: 0, groups: anyGroups(), isSuperuser: random.chance(25) },
    { name: 'uma', division: 0, groups: ['User'] },
    { name: 'lee', division: 1, groups: ['Leader'] },
  ];
};

/** Stores the divisions and people of the start of a history, in the world and in the model. */
export const storePeople = async (world: SimulatedWorld, model: Model, random: Random): Promise<void> => {
  const { ids, prefix, clock } = world;
  const divisions = [`${prefix}north`, `${prefix}south`].map((name) => ({ id: ids.next(), name, logo: null }));
  for (const division of divisions) {
    await world.divisions.create(OPERATOR, { ...division, fanpage: null });
    model.divisions.set(division.id, { ...division, version: 1, nameVersion: 1 });
  }
  for (const { name, division, ...rights } of peopleOf(random)) {
    const user: ModelUser = {
      id: ids.next(),
      username: prefix + name,
      email: null,
      firstName: '',
      isActive: random.chance(92),
      isStaff: false,
      isSuperuser: false,
      ...rights,
      divisionId: divisions[division]?.id ?? '',
      password: PASSWORDS[0],
      hash: random.chance(25) ? weakFakeHash(PASSWORDS[0]) : fakeHash(PASSWORDS[0]),
      version: 1,
    };
    await world.users.create(OPERATOR, asNewUser(user, clock.now()), () => {});
    model.users.set(user.id, user);
  }
};

const asNewUser = (user: ModelUser, dateJoined: string): NewUser => {
  const { id, username, email, firstName, divisionId, groups, isActive, isStaff, isSuperuser, hash } = user;
  const rights = { divisionId, groups, isActive, isStaff, isSuperuser };
  return { id, username, email, firstName, lastName: '', birthdate: null, ...rights, dateJoined, passwordHash: hash };
};
