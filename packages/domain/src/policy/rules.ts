import type { DivisionId } from '../model/division.ts';
import { type Actor, type Group, isAdministrator, isUuid, type User, type UserId } from '../model/user.ts';

/** A pure predicate on an actor and a target, with a description of the actors that it allows ("a Leader of the division"). */
export interface Rule<Target> {
  (actor: Actor, target: Target): boolean;
  readonly description: string;
  /** The largest set of targets that the rule can allow to an actor; absent if the set is not known. */
  readonly reach?: Reach;
  /** The rules that {@link anyOf} combined; each of them suffices. */
  readonly alternatives?: readonly Rule<Target>[];
}

/** A set of targets: none, all, or those in one division and one user. A null id adds no target. */
export type Scope = 'none' | 'all' | { readonly divisionId: DivisionId | null; readonly userId: UserId | null };

/** The part of a target that a scope compares. Only a user has an `id`; a division has its id in `divisionId`. */
export interface ScopeTarget extends InDivision {
  readonly id?: UserId;
}

/** A rule whose targets can be listed: exactly those in the actor's scope. */
export interface ScopedRule<Target> extends Rule<Target> {
  readonly scope: (actor: Actor) => Scope;
}

/** One action of a policy: who may perform it, and who may know that its target exists. */
export interface PolicyRow<Target, Allows extends Rule<Target> = Rule<Target>> {
  readonly allows: Allows;
  readonly canSee: Rule<Target>;
  /** Copies the properties of a target that rules read; null for a value that is not a target of this action. */
  readonly readTarget: (value: unknown) => object | null;
  /** Whether the operator may perform it, on every target. Absent means false. */
  readonly allowsOperator?: boolean;
}

/** Makes an immutable row. */
export const row = <Target, Allows extends Rule<Target>>(
  allows: Allows,
  canSee: Rule<Target>,
  readTarget: (value: unknown) => (Target & object) | null,
): PolicyRow<Target, Allows> => Object.freeze({ allows, canSee, readTarget });

/** Makes a row that allows the operator too. */
export const orOperator = <Row extends PolicyRow<never>>(allowed: Row): Row =>
  Object.freeze({ ...allowed, allowsOperator: true });

/** Rows by action: those of this service, or those of a service that adds its own. */
export type Policy = Readonly<Record<string, PolicyRow<never>>>;

/** Makes an immutable rule from a predicate and its description. */
export const rule = <Target>(description: string, allows: (actor: Actor, target: Target) => boolean): Rule<Target> =>
  freezeRule((actor: Actor, target: Target) => allows(actor, target), { description });

/** For each reach, the type of target of a scoped rule. */
interface TargetsByReach {
  readonly everything: unknown;
  readonly ownDivision: InDivision;
  readonly self: UserTarget;
}

/** The targets that a rule can allow: every target, those in the actor's own division, or the actor themself. */
export type Reach = keyof TargetsByReach;

const SCOPES_BY_REACH: Readonly<Record<Reach, (actor: Actor) => Scope>> = {
  everything: () => 'all',
  ownDivision: ({ divisionId }) => (divisionId === null ? 'none' : { divisionId, userId: null }),
  self: ({ id }) => ({ divisionId: null, userId: id }),
};

/**
 * Makes a rule that allows the targets of its reach to the actors for which a predicate is true. Decisions derive from the
 * scope, so that the two cannot disagree. A predicate that throws or returns anything but `true` allows no target.
 */
export const scopedRule = <R extends Reach>(
  description: string,
  reach: R,
  allows: (actor: Actor) => boolean,
): ScopedRule<TargetsByReach[R]> =>
  ruleOfScope((actor) => (orNull((): unknown => allows(actor)) === true ? SCOPES_BY_REACH[reach](actor) : 'none'), {
    description,
    reach,
  });

/**
 * Makes a rule that allows what `base` allows if the condition holds too. The rule has the reach of `base`. It has no scope,
 * because the condition reads the target.
 */
export const restrict = <Target>(
  base: Rule<Target>,
  description: string,
  condition: (actor: Actor, target: Target) => boolean,
): Rule<Target> => {
  const allows = (actor: Actor, target: Target): boolean => permits(base, actor, target) && condition(actor, target);
  return freezeRule(allows, { description, ...(base.reach && { reach: base.reach }) });
};

type RuleProperties<Target> = Pick<Rule<Target>, 'description' | 'reach' | 'alternatives'>;

const freezeRule = <Target, Properties extends object>(
  allows: (actor: Actor, target: Target) => boolean,
  properties: Properties,
) => Object.freeze(Object.assign(allows, properties));

const ruleOfScope = <Target>(scope: (actor: Actor) => Scope, properties: RuleProperties<Target>): ScopedRule<Target> =>
  freezeRule((actor: Actor, target: Target) => isInScope(scope(actor), target as ScopeTarget), {
    ...properties,
    scope: Object.freeze(scope),
  });

/** Whether the targets of a rule can be listed. */
export const isScoped = <Target>(allows: Rule<Target>): allows is ScopedRule<Target> => 'scope' in allows;

/** Whether a scope contains a target. Null or absent ids never match. */
export const isInScope = (scope: Scope, target: ScopeTarget): boolean =>
  typeof scope === 'string'
    ? scope === 'all'
    : isSameId(scope.divisionId, target.divisionId) || isSameId(scope.userId, target.id);

const isSameId = (one: unknown, other: unknown): boolean => typeof one === 'string' && one === other;

/** Applies a rule. A rule that throws or returns anything but `true`, such as a promise, denies. */
export const permits = <Target>(allows: Rule<Target>, actor: Actor, target: Target): boolean =>
  orNull((): unknown => allows(actor, target)) === true;

/** Returns the result of a function, or null if it throws. */
export const orNull = <T>(read: () => T): T | null => {
  try {
    return read();
  } catch {
    return null;
  }
};

/** Allows everything that any of the rules allows. The result is scoped if all rules are. */
export function anyOf<Target>(...rules: readonly ScopedRule<Target>[]): ScopedRule<Target>;
export function anyOf<Target>(...rules: readonly Rule<Target>[]): Rule<Target>;
export function anyOf<Target>(...rules: readonly Rule<Target>[]): Rule<Target> {
  const description = joinWithOr(rules.map((each) => each.description));
  const properties = { description, alternatives: Object.freeze(rules.flatMap(alternativesOf)) };
  return rules.every(isScoped)
    ? ruleOfScope((actor) => unite(rules.map(({ scope }) => scope(actor))), properties)
    : freezeRule((actor: Actor, target: Target) => rules.some((allows) => permits(allows, actor, target)), properties);
}

/** Returns the rules that {@link anyOf} combined, or the rule itself if `anyOf` did not make it. */
export const alternativesOf = <Target>(allows: Rule<Target>): readonly Rule<Target>[] =>
  allows.alternatives ?? [allows];

/** Returns the union of scopes of one actor. Their ids that are not null are equal, so that one of each suffices. */
const unite = (scopes: readonly Scope[]): Scope => {
  if (scopes.includes('all')) return 'all';
  const parts = scopes.filter((scope) => typeof scope === 'object');
  if (parts.length === 0) return 'none';
  return {
    divisionId: parts.find(({ divisionId }) => divisionId !== null)?.divisionId ?? null,
    userId: parts.find(({ userId }) => userId !== null)?.userId ?? null,
  };
};

const joinWithOr = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' or ');

/** A target in a division: the division itself, its list of users, or a user to create. */
export interface InDivision {
  readonly divisionId: DivisionId | null;
}

/** A user as target of an action. */
export interface UserTarget extends InDivision {
  readonly id: UserId;
  readonly isStaff: boolean;
  readonly isSuperuser: boolean;
}

/** A value to be written to a field of a user. */
export interface FieldTarget extends UserTarget {
  readonly value: unknown;
}

/** Returns a user as target of an action. */
export const asTarget = (user: User): UserTarget => ({
  id: user.id,
  divisionId: user.division.id,
  isStaff: user.isStaff,
  isSuperuser: user.isSuperuser,
});

/** Returns a user who may have been deleted as target of an action. A deleted user has only an id. */
export const asPerson = (id: UserId, found: User | null): UserTarget =>
  found ? asTarget(found) : { id, divisionId: null, isStaff: false, isSuperuser: false };

/** Copies the properties of a target in a division that rules read; null for any other value. */
export const readInDivision = (value: unknown): InDivision | null => {
  if (typeof value !== 'object' || value === null) return null;
  const { divisionId } = value as Partial<InDivision>;
  return divisionId === null || isUuid(divisionId) ? { divisionId } : null;
};

/** Copies the properties of a user that rules read; null for any other value. */
export const readUserTarget = (value: unknown): UserTarget | null => {
  const inDivision = readInDivision(value);
  if (!inDivision) return null;
  const { id, isStaff, isSuperuser } = value as Partial<UserTarget>;
  if (!isUuid(id) || typeof isStaff !== 'boolean' || typeof isSuperuser !== 'boolean') return null;
  return { ...inDivision, id, isStaff, isSuperuser };
};

/** Accepts any value but null and undefined as the service itself, which has no properties. */
export const readService = (value: unknown): object | null => (value === null || value === undefined ? null : {});

const isMemberOf = (group: Group) => (actor: Actor) => actor.groups.includes(group);

const authenticated = scopedRule('anyone who is authenticated', 'everything', (actor) => actor.isActive);
const administrator = scopedRule('an Administrator', 'everything', isAdministrator);
const leader = scopedRule('a Leader of the division', 'ownDivision', isMemberOf('Leader'));
const guest = scopedRule('a Guest of the division', 'ownDivision', isMemberOf('Guest'));
const divisionMember = scopedRule('a member of the division', 'ownDivision', (actor) => actor.isActive);
const self = scopedRule('the user themself', 'self', () => true);

/** Allows no user. It describes who remains in a row that allows the operator. */
const noUser = ruleOfScope<unknown>(() => 'none', { description: 'the operator', alternatives: Object.freeze([]) });

/** The rules for the rows of a policy. `leader` and `guest` apply in the actor's own division. */
export const rules = Object.freeze({ authenticated, self, leader, guest, divisionMember, administrator, noUser });
