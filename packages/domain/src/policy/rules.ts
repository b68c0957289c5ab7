import type { DivisionId } from '../model/division.ts';
import { type Actor, type Group, isAdministrator, isUuid, type User, type UserId } from '../model/user.ts';

/** A pure predicate of who acts and on what, with a description of the actors that it allows ("a Leader of the division"). */
export interface Rule<Target> {
  (actor: Actor, target: Target): boolean;
  readonly description: string;
}

/** A set of targets: none, all, or those in one division together with one user. Null: no division, no user. */
export type Scope = 'none' | 'all' | { readonly divisionId: DivisionId | null; readonly userId: UserId | null };

/** What a scope looks at in a target. Only a user has an `id`: a division has its id in `divisionId`. */
export interface ScopeTarget extends InDivision {
  readonly id?: UserId;
}

/** A rule that can list its targets: it allows the actor exactly the targets in the scope. */
export interface ScopedRule<Target> extends Rule<Target> {
  readonly scope: (actor: Actor) => Scope;
}

/** One action of a policy: who may do it, and who may know that its target is there. To all others it does not exist. */
export interface PolicyRow<Target, Allows extends Rule<Target> = Rule<Target>> {
  readonly allows: Allows;
  readonly canSee: Rule<Target>;
  /** Copies what rules read of a target; null for a value that is no target of this action. */
  readonly readTarget: (value: unknown) => object | null;
}

/** Makes a row that cannot be changed. */
export const row = <Target, Allows extends Rule<Target>>(
  allows: Allows,
  canSee: Rule<Target>,
  readTarget: (value: unknown) => (Target & object) | null,
): PolicyRow<Target, Allows> => Object.freeze({ allows, canSee, readTarget });

/** Rows by the names of their actions: this service's own, or those of a service that adds some. */
export type Policy = Readonly<Record<string, PolicyRow<never>>>;

/** Gives a predicate its description. The rule cannot be changed. */
export const rule = <Target>(description: string, allows: (actor: Actor, target: Target) => boolean): Rule<Target> =>
  Object.freeze(Object.assign((actor: Actor, target: Target) => allows(actor, target), { description }));

/** The targets that a scoped rule can allow, by how far it reaches. */
interface Reaches {
  readonly everything: unknown;
  readonly ownDivision: InDivision;
  readonly self: UserTarget;
}

const REACHES: Readonly<Record<keyof Reaches, (actor: Actor) => Scope>> = {
  everything: () => 'all',
  ownDivision: ({ divisionId }) => (divisionId === null ? 'none' : { divisionId, userId: null }),
  self: ({ id }) => ({ divisionId: null, userId: id }),
};

/**
 * Makes a rule of how far it reaches and the actors that it allows. The decision derives from the scope, so that the two
 * cannot disagree. A predicate that throws or returns anything but `true` allows no target.
 */
export const scopedRule = <Reach extends keyof Reaches>(
  description: string,
  reach: Reach,
  allows: (actor: Actor) => boolean,
): ScopedRule<Reaches[Reach]> =>
  ruleOfScope(description, (actor) => (orNull((): unknown => allows(actor)) === true ? REACHES[reach](actor) : 'none'));

const ruleOfScope = <Target>(description: string, scope: (actor: Actor) => Scope): ScopedRule<Target> =>
  Object.freeze(
    Object.assign((actor: Actor, target: Target) => isInScope(scope(actor), target as ScopeTarget), {
      description,
      scope: Object.freeze(scope),
    }),
  );

/** Tells whether a rule can list its targets. */
export const isScoped = <Target>(allows: Rule<Target>): allows is ScopedRule<Target> => 'scope' in allows;

/** Tells whether a scope contains a target. Null or absent ids never match. */
export const isInScope = (scope: Scope, target: ScopeTarget): boolean =>
  typeof scope === 'string'
    ? scope === 'all'
    : isSameId(scope.divisionId, target.divisionId) || isSameId(scope.userId, target.id);

const isSameId = (one: unknown, other: unknown): boolean => typeof one === 'string' && one === other;

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

/** Allows what any of the rules allows. The result is scoped if all of them are. */
export function anyOf<Target>(...rules: readonly ScopedRule<Target>[]): ScopedRule<Target>;
export function anyOf<Target>(...rules: readonly Rule<Target>[]): Rule<Target>;
export function anyOf<Target>(...rules: readonly Rule<Target>[]): Rule<Target> {
  const description = inWords(rules.map((each) => each.description));
  return rules.every(isScoped)
    ? ruleOfScope(description, (actor) => unite(rules.map(({ scope }) => scope(actor))))
    : rule(description, (actor, target) => rules.some((allows) => allows(actor, target)));
}

/** The union of scopes of one actor, whose division and id are the only ones that occur in them. */
const unite = (scopes: readonly Scope[]): Scope => {
  if (scopes.includes('all')) return 'all';
  const parts = scopes.filter((scope) => typeof scope === 'object');
  if (parts.length === 0) return 'none';
  return {
    divisionId: parts.find(({ divisionId }) => divisionId !== null)?.divisionId ?? null,
    userId: parts.find(({ userId }) => userId !== null)?.userId ?? null,
  };
};

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

const member = (group: Group) => (actor: Actor) => actor.groups.includes(group);

const signedIn = scopedRule('anyone who is signed in', 'everything', (actor) => actor.isActive);
const administrator = scopedRule('an Administrator', 'everything', isAdministrator);
const leader = scopedRule('a Leader of the division', 'ownDivision', member('Leader'));
const guest = scopedRule('a Guest of the division', 'ownDivision', member('Guest'));
const belongs = scopedRule('a member of the division', 'ownDivision', (actor) => actor.isActive);
const self = scopedRule('the user themself', 'self', () => true);

/** The rules that rows are made of, for a service that adds rows of its own. `leader` and `guest` are of own division. */
export const rules = Object.freeze({ signedIn, self, leader, guest, belongs, administrator });
