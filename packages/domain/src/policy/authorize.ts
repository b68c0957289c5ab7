import type { DivisionId } from '../model/division.ts';
import { forbidden, invalidToken, notFound } from '../model/errors.ts';
import { type Actor, type Caller, isOperator, readActor, type User, type UserId } from '../model/user.ts';
import type { Scope, ScopeMatch } from './conditions.ts';
import { policy } from './policy.ts';
import {
  type ActorOfRules,
  type AnyRule,
  alternativesOf,
  isScoped,
  orNull,
  permits,
  rules,
  type ScopedRule,
} from './rules.ts';
import { actorFault, asTarget, type Policy, type UserTarget } from './targets.ts';

/** An action that a caller may perform: a row of {@link policy}. */
export type Action = keyof typeof policy;

/** The type of target of an action of a policy. */
export type TargetIn<P extends Policy, A extends keyof P> = Parameters<P[A]['readTarget']>[0];

/** The type of target of an action. */
export type TargetOf<A extends Action> = TargetIn<typeof policy, A>;

/** The callers that some rules accept: actors with the properties that the rules read, and the operator. */
export type CallerOfRules<R extends AnyRule> = ActorOfRules<R> | Exclude<Caller, Actor>;

/** The callers that the rules of a policy accept. */
export type CallerIn<P extends Policy> = CallerOfRules<P[keyof P]['allows' | 'canSee']>;

/** A target that fits; otherwise what the compiler prints: the right target, or how to make one of a stored user. */
type FittingTarget<T, Target> = [T] extends [Target]
  ? T
  : T extends User
    ? 'a target, which asTarget(user) makes of a stored user'
    : Target;

/** Decides about an action of a policy. The types of the parameters are written out, so that the compiler prints them. */
export type DecideBy<P extends Policy, Result> = <A extends keyof P & string, T = TargetIn<P, A> | null>(
  caller: ActorOfRules<P[keyof P]['allows' | 'canSee']> | Exclude<Caller, Actor> | null,
  action: A,
  target: FittingTarget<T, TargetIn<P, A> | null>,
) => Result;

type UserAction = {
  [A in Action]: UserTarget extends TargetOf<A> ? (TargetOf<A> extends { readonly id: UserId } ? A : never) : never;
}[Action];

/**
 * The result of a decision. `not_found`: the caller may not know of the target. `forbidden`: the caller may know of it
 * but not do this. `unauthenticated`: there is no caller, or an inactive user.
 */
export type Outcome = 'allowed' | 'forbidden' | 'not_found' | 'unauthenticated';

/** A decision and the rule that decided. */
export interface Decision {
  readonly outcome: Outcome;
  /** Describes the callers that may do this. */
  readonly rule: string;
  /** A fragment that says why. */
  readonly reason: string;
}

const NO_ROW: Decision = Object.freeze({ outcome: 'forbidden', rule: 'no one', reason: 'no rule allows this' });

const ONLY_ACTIVE = 'only an active user may perform actions';

/** Says which of the rules that suffice allows. */
const allowing = (allows: AnyRule, actor: Actor, target: object): string =>
  alternativesOf(allows).find((one) => permits(one, actor, target))?.description ?? allows.description;

/** Makes {@link explain} for the rows of any policy. Actions without a row are denied to every caller. */
export const makeExplain =
  <P extends Policy>(rows: P): DecideBy<P, Decision> =>
  (caller, action, target) => {
    if (typeof action !== 'string' || !Object.hasOwn(rows, action)) return NO_ROW;
    const { allows, allowsOperator, canSee, readTarget } = rows[action] as Policy[string];
    const { description } = isOperator(caller) && allowsOperator === true ? rules.noUser : allows;
    const decision = (outcome: Outcome, reason: string): Decision => ({ outcome, rule: description, reason });
    const actor = isOperator(caller) ? null : orNull(() => readActor(caller));
    if (!isOperator(caller) && !actor?.isActive) {
      const fault = actor || !caller ? ONLY_ACTIVE : `the actor is malformed: ${actorFault(caller)}`;
      return decision('unauthenticated', fault);
    }
    const resource = orNull(() => readTarget(target as never));
    if (!resource) {
      const isAbsent = target === null || target === undefined;
      const fault = isAbsent ? null : orNull(() => readTarget.faultIn(target));
      return decision('not_found', fault ? `the target is malformed: ${fault}` : 'the target does not exist');
    }
    if (actor ? permits(allows, actor, resource) : allowsOperator === true) {
      return decision('allowed', `${actor ? allowing(allows, actor, resource) : description} may do this`);
    }
    if (!actor || permits(canSee, actor, resource)) return decision('forbidden', `only ${description} may do this`);
    return decision('not_found', `only ${canSee.description} may know of the target`);
  };

/**
 * Decides whether a caller may perform an action, and says which rule decided. Never throws. Decides on copies of actor
 * and target, so that rules read exactly the values that were checked. A value that is neither a well-formed
 * {@link Actor} nor the operator counts as unauthenticated; a target that is not well-formed counts as nonexistent. The
 * reason says what is malformed. The service itself needs no target: null stands for it too.
 */
export const explain: DecideBy<typeof policy, Decision> = makeExplain(policy);

/** Makes {@link can} for the rows of any policy. Actions without a row are denied to every caller. */
export const makeCan = <P extends Policy>(rows: P): DecideBy<P, boolean> => {
  const byAction = new Map<unknown, Policy[string]>(Object.entries(rows));
  return (caller, action, target) => {
    const row = byAction.get(action);
    if (!row) return false;
    try {
      const actor = isOperator(caller) ? null : readActor(caller);
      if (!isOperator(caller) && !actor?.isActive) return false;
      const resource = row.readTarget(target as never);
      if (!resource) return false;
      const allowed: unknown = actor ? row.allows(actor as never, resource as never) : row.allowsOperator;
      return allowed === true;
    } catch {
      // A rule threw, or a getter of the actor or of the target.
      return false;
    }
  };
};

/** Whether a caller may perform an action. Never throws; denies a caller or a target that is not well-formed. */
export const can: DecideBy<typeof policy, boolean> = makeCan(policy);

/**
 * Throws unless the caller may perform the action, and asserts for TypeScript that there is a caller.
 *
 * @throws DomainError `not_found` if the caller may not know of the target, `forbidden` if they may know of it but not do
 *   this, `invalid_token` if there is no caller or an inactive user.
 */
export function authorize<C extends Caller, A extends Action>(
  caller: C | null,
  action: A,
  target: TargetOf<A> | null,
): asserts caller is C {
  const { outcome, reason } = explain(caller, action, target);
  if (outcome === 'unauthenticated') throw invalidToken();
  if (outcome === 'not_found') throw notFound();
  if (outcome === 'forbidden') throw forbidden(reason);
}

/** Returns the user that was found if the caller may act on them. @throws DomainError like {@link authorize}. */
export const authorizedUser = (caller: Caller, action: UserAction, found: User | null): User => {
  authorize(caller, action, found && asTarget(found));
  // Unreachable, because no rule allows an action on an absent user. The compiler cannot infer this.
  if (!found) throw notFound();
  return found;
};

/** Returns the id that is the whole scope; undefined for an empty one. @throws TypeError for a scope that is no single id. */
export const idIn = (set: Scope, attribute: string): string | undefined => {
  if (set === 'none') return undefined;
  const [[name, id] = [], ...others] = set === 'all' ? [] : set.flatMap(Object.entries<ScopeMatch[string]>);
  if (name === attribute && typeof id === 'string' && others.length === 0) return id;
  throw new TypeError(`expected a scope of one ${attribute}`);
};

/**
 * Returns the division whose users or changes the actor may list, or in which they may create users, from the scope of the action.
 *
 * @throws DomainError like {@link authorize}.
 */
export const ownDivision = (actor: Actor | null, action: 'listUsers' | 'createUser' | 'listChanges'): DivisionId => {
  const divisionId = idIn(scope(actor, action), 'divisionId');
  if (divisionId !== undefined) return divisionId;
  authorize(actor, action, { divisionId: orNull(() => readActor(actor))?.divisionId ?? null });
  // Unreachable, because no rule allows an action outside its scope. The compiler cannot infer this.
  throw notFound();
};

/**
 * Returns the user whose sessions the actor may list or end, from the scope of the action.
 *
 * @throws DomainError like {@link authorize}.
 */
export const authorizedSessionOwner = (actor: Actor | null, action: 'listOwnSessions' | 'endOwnSession'): UserId => {
  const userId = idIn(scope(actor, action), 'id');
  if (userId !== undefined) return userId;
  // The scope is empty only for an unauthenticated caller.
  throw invalidToken();
};

/** The actions of a policy whose targets can be listed, because their rule is scoped. */
export type ScopedActionIn<P extends Policy> = {
  [A in keyof P & string]: P[A]['allows'] extends ScopedRule<never, never> ? A : never;
}[keyof P & string];

/** An action with a scope; otherwise what the compiler prints. */
type Listable<P extends Policy, A extends keyof P> =
  P[A]['allows'] extends ScopedRule<never, never>
    ? A
    : 'an action whose targets can be listed: its rule must be made by scopedRule or where, not by rule or restrict';

/** Makes {@link scope} for the rows of any policy. */
export const makeScope =
  <P extends Policy>(rows: P) =>
  <A extends keyof P & string>(caller: CallerIn<P> | null, action: Listable<P, A>): Scope => {
    const row = typeof action === 'string' && Object.hasOwn(rows, action) ? rows[action] : undefined;
    if (!row || !isScoped(row.allows)) return 'none';
    if (isOperator(caller)) return row.allowsOperator === true ? 'all' : 'none';
    const actor = orNull(() => readActor(caller));
    return actor?.isActive ? row.allows.scope(actor as never) : 'none';
  };

/** Returns the targets for which `can` is true. Never throws: missing, inactive and malformed callers have `none`. */
export const scope = makeScope(policy);
