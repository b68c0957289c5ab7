import {
  type Actor,
  type Caller,
  GROUPS,
  type Group,
  OPERATOR,
  type UserTarget,
} from '../../packages/domain/src/index.ts';

/** The attributes of a caller that decisions depend on. */
export interface Standing {
  readonly status: 'active' | 'inactive' | 'deleted' | 'anonymous' | 'operator';
  readonly groups: readonly string[];
  readonly isStaff: boolean;
  readonly isSuperuser: boolean;
}

/** The flags of a target that decisions depend on. */
export type TargetFlags = Pick<Standing, 'isStaff' | 'isSuperuser'>;
export const NO_FLAGS: TargetFlags = { isStaff: false, isSuperuser: false };

/** The relation of a target to the caller. */
export const RELATIONS = ['self', 'same division', 'other division', 'absent'] as const;
export type Relation = (typeof RELATIONS)[number];

/** The ids of the two divisions of every enumerated world. */
export const OWN = '0190a000-0000-7000-8000-0000000000a0';
export const OTHER = '0190a000-0000-7000-8000-0000000000b0';

/** Returns a UUID that encodes a name of at most six ASCII letters. */
export const idNamed = (name: string): string =>
  `0190a000-0000-7000-8000-${Buffer.from(name, 'ascii').toString('hex').padStart(12, '0')}`;

/** All subsets of the three groups. */
export const groupSubsets: readonly (readonly Group[])[] = Array.from({ length: 2 ** GROUPS.length }, (_, bits) =>
  GROUPS.filter((_group, at) => bits & (1 << at)),
);

/** All pairs of the two flags. */
export const flagPairs = [false, true].flatMap((isStaff) =>
  [false, true].map((isSuperuser) => ({ isStaff, isSuperuser })),
);

/** Every standing: the three states of a user with all groups and flags, and the anonymous caller. */
export const standings: readonly Standing[] = [
  ...(['active', 'inactive', 'deleted'] as const).flatMap((status) =>
    groupSubsets.flatMap((groups) =>
      flagPairs.map(({ isStaff, isSuperuser }) => ({ status, groups, isStaff, isSuperuser })),
    ),
  ),
  { status: 'anonymous', groups: [], isStaff: false, isSuperuser: false },
];

/** The operator, who has no attributes. */
export const operatorStanding: Standing = { status: 'operator', groups: [], ...NO_FLAGS };

/** An active Leader of {@link OWN} without other rights. */
export const leader: Actor = {
  id: idNamed('leader'),
  username: 'leader',
  divisionId: OWN,
  groups: ['Leader'],
  isActive: true,
  isStaff: false,
  isSuperuser: false,
};

/** Returns the caller of a standing. */
export const callerWithStanding = (standing: Standing): Caller | null =>
  standing.status === 'operator' ? OPERATOR : actorWithStanding(standing);

/** Returns the actor of a standing as the service would load them; null if there is no such user. */
export const actorWithStanding = ({ status, groups, isStaff, isSuperuser }: Standing): Actor | null =>
  status !== 'active' && status !== 'inactive'
    ? null
    : {
        ...leader,
        id: idNamed('actor'),
        username: 'actor',
        groups: groups as readonly Group[],
        isActive: status === 'active',
        isStaff,
        isSuperuser,
      };

/** Returns a target with a relation to the actor. It serves as a user and as a division. */
export const targetOf = (relation: Relation, flags = NO_FLAGS): UserTarget | null =>
  relation === 'absent'
    ? null
    : {
        id: idNamed(relation === 'self' ? 'actor' : 'target'),
        divisionId: relation === 'other division' ? OTHER : OWN,
        ...flags,
      };

/** The id of a user or division that does not exist. */
export const ABSENT = '0190a000-0000-7000-8000-00000000dead';
