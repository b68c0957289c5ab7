import type { DivisionId } from '../model/division.ts';
import { type Actor, type Group, isAdministrator, isUuid, type User, type UserId } from '../model/user.ts';

/** A pure predicate of who acts and on what, with a description of the actors that it allows ("a Leader of the division"). */
export interface Rule<Target> {
  (actor: Actor, target: Target): boolean;
  readonly description: string;
}

/** One action of a policy: who may do it, and who may know that its target is there. To all others it does not exist. */
export interface PolicyRow<Target> {
  readonly allows: Rule<Target>;
  readonly canSee: Rule<Target>;
  /** Copies what rules read of a target; null for a value that is no target of this action. */
  readonly readTarget: (value: unknown) => object | null;
}

/** Makes a row that cannot be changed. */
export const row = <Target>(
  allows: Rule<Target>,
  canSee: Rule<Target>,
  readTarget: (value: unknown) => (Target & object) | null,
): PolicyRow<Target> => Object.freeze({ allows, canSee, readTarget });

/** Rows by the names of their actions: this service's own, or those of a service that adds some. */
export type Policy = Readonly<Record<string, PolicyRow<never>>>;

/** Gives a predicate its description. The rule cannot be changed. */
export const rule = <Target>(description: string, allows: (actor: Actor, target: Target) => boolean): Rule<Target> =>
  Object.freeze(Object.assign((actor: Actor, target: Target) => allows(actor, target), { description }));

/** Applies a rule. A rule that throws or returns anything but `true`, such as a promise, denies. */
export const holds = <Target>(allows: Rule<Target>, actor: Actor, target: Target): boolean =>
  orNull((): unknown => allows(actor, target)) === true;

/** The result, or null when the function throws. */
export const orNull = <T>(read: () => T): T | null => {
  try {
    return read();
  } catch {
    return null;
  }
};

/** Allows whomever one of the rules allows. */
export const anyOf = <Target>(...rules: readonly Rule<Target>[]): Rule<Target> =>
  rule(inWords(rules.map(({ description }) => description)), (actor, target) =>
    rules.some((allows) => allows(actor, target)),
  );

const inWords = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' or ');

/** A target that lies in a division: the division itself, its list of users, or a user to be. */
export interface InDivision {
  readonly divisionId: DivisionId | null;
}

/** A user as a target. */
export interface UserTarget extends InDivision {
  readonly id: UserId;
  readonly isStaff: boolean;
  readonly isSuperuser: boolean;
}

/** A value about to be written to a field of a user. */
export interface FieldTarget extends UserTarget {
  readonly value: unknown;
}

/** A user as the policy sees them. */
export const asTarget = (user: User): UserTarget => ({
  id: user.id,
  divisionId: user.division.id,
  isStaff: user.isStaff,
  isSuperuser: user.isSuperuser,
});

/** Copies what rules read of a target in a division; null for a value that is none. */
export const readInDivision = (value: unknown): InDivision | null => {
  if (typeof value !== 'object' || value === null) return null;
  const { divisionId } = value as Partial<InDivision>;
  return divisionId === null || isUuid(divisionId) ? { divisionId } : null;
};

/** Copies what rules read of a user; null for a value that is none. */
export const readUserTarget = (value: unknown): UserTarget | null => {
  const place = readInDivision(value);
  if (!place) return null;
  const { id, isStaff, isSuperuser } = value as Partial<UserTarget>;
  if (!isUuid(id) || typeof isStaff !== 'boolean' || typeof isSuperuser !== 'boolean') return null;
  return { ...place, id, isStaff, isSuperuser };
};

/** The service itself has no properties: any value but null and undefined is that target. */
export const readService = (value: unknown): object | null => (value === null || value === undefined ? null : {});

// Null ids never match: two actors without a division share nothing.
const same = (one: unknown, other: unknown): boolean => typeof one === 'string' && one === other;

const member = (group: Group): Rule<unknown> => rule(`a ${group}`, (actor) => actor.groups.includes(group));
const ofOwnDivision = (of: Rule<unknown>): Rule<InDivision> =>
  rule(
    `${of.description} of the division`,
    (actor, target) => of(actor, target) && same(actor.divisionId, target.divisionId),
  );

const signedIn: Rule<unknown> = rule('anyone who is signed in', (actor) => actor.isActive);
const leader = ofOwnDivision(member('Leader'));
const guest = ofOwnDivision(member('Guest'));
const self: Rule<UserTarget> = rule('the user themself', (actor, user) => same(actor.id, user.id));
const administrator: Rule<unknown> = rule('an Administrator', isAdministrator);
const belongs = ofOwnDivision(rule('a member', (actor) => actor.isActive));

/** The rules that rows are made of, for a service that adds rows of its own. `leader` and `guest` are of own division. */
export const rules = Object.freeze({ signedIn, self, leader, guest, belongs, administrator });
