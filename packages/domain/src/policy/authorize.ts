import { READ_ONLY, type SentFields, UNKNOWN_FIELD } from '../fields/field-check.ts';
import { USER_READ_ONLY } from '../fields/user-checks.ts';
import type { DivisionId } from '../model/division.ts';
import { type FieldFault, fieldForbidden, forbidden, invalidToken, notFound } from '../model/errors.ts';
import { type Actor, type Caller, isOperator, readActor, type User, type UserId } from '../model/user.ts';
import { fieldRights, operatorFields, policy } from './policy.ts';
import {
  asTarget,
  type FieldTarget,
  isScoped,
  orNull,
  type Policy,
  type PolicyRow,
  permits,
  type Rule,
  readUserTarget,
  rules,
  type Scope,
  type ScopedRule,
  type UserTarget,
} from './rules.ts';

/** An action that a caller may perform: a row of {@link policy}. */
export type Action = keyof typeof policy;

/** The type of target of an action of a policy. */
export type TargetIn<P extends Policy, A extends keyof P> = Parameters<P[A]['canSee']>[1];

/** The type of target of an action. */
export type TargetOf<A extends Action> = TargetIn<typeof policy, A>;

/** An action on a user. */
type UserAction = { [A in Action]: TargetOf<A> extends UserTarget ? A : never }[Action];

/**
 * The result of a decision. `not_found`: the caller may not know of the target. `forbidden`: the caller may know of it but
 * not do this. `unauthenticated`: there is no caller, or an inactive user.
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

/** Makes {@link explain} for the rows of any policy. Actions without a row are denied to every caller. */
export const makeExplain =
  <P extends Policy>(rows: P) =>
  <A extends keyof P & string>(caller: Caller | null, action: A, target: TargetIn<P, A> | null): Decision => {
    if (typeof action !== 'string' || !Object.hasOwn(rows, action)) return NO_ROW;
    const { allows, allowsOperator, canSee, readTarget } = rows[action] as PolicyRow<object>;
    const { description } = isOperator(caller) && allowsOperator === true ? rules.noUser : allows;
    const decision = (outcome: Outcome, reason: string): Decision => ({ outcome, rule: description, reason });
    const actor = isOperator(caller) ? null : orNull(() => readActor(caller));
    if (!isOperator(caller) && !actor?.isActive) {
      return decision('unauthenticated', 'only an active user may perform actions');
    }
    const resource = orNull(() => readTarget(target));
    if (!resource) return decision('not_found', 'the target does not exist');
    if (actor ? permits(allows, actor, resource) : allowsOperator === true) {
      return decision('allowed', `${description} may do this`);
    }
    if (!actor || permits(canSee, actor, resource)) return decision('forbidden', `only ${description} may do this`);
    return decision('not_found', `only ${canSee.description} may know of the target`);
  };

/**
 * Decides whether a caller may perform an action, and says which rule decided. Never throws. Decides on copies of actor and
 * target, so that rules read exactly the values that were checked. A value that is neither a well-formed {@link Actor} nor
 * the operator counts as unauthenticated; a target that is not well-formed counts as nonexistent.
 */
export const explain: <A extends Action>(caller: Caller | null, action: A, target: TargetOf<A> | null) => Decision =
  makeExplain(policy);

/** Makes {@link can} for the rows of any policy. Actions without a row are denied to every caller. */
export const makeCan =
  <P extends Policy>(rows: P) =>
  <A extends keyof P & string>(caller: Caller | null, action: A, target: TargetIn<P, A> | null): boolean => {
    if (typeof action !== 'string' || !Object.hasOwn(rows, action)) return false;
    const { allows, allowsOperator, readTarget } = rows[action] as PolicyRow<object>;
    try {
      const actor = isOperator(caller) ? null : readActor(caller);
      if (!isOperator(caller) && !actor?.isActive) return false;
      const resource = readTarget(target);
      return resource !== null && (actor ? permits(allows, actor, resource) : allowsOperator === true);
    } catch {
      // A getter of the actor or of the target threw.
      return false;
    }
  };

/** Whether a caller may perform an action. Never throws; denies a caller or a target that is not well-formed. */
export const can: <A extends Action>(caller: Caller | null, action: A, target: TargetOf<A> | null) => boolean =
  makeCan(policy);

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

/**
 * Returns the user that was found if the caller may perform the action on them.
 *
 * @throws DomainError like {@link authorize}.
 */
export const authorizedUser = (caller: Caller, action: UserAction, found: User | null): User => {
  authorize(caller, action, found && asTarget(found));
  // Unreachable, because no rule allows an action on an absent user. The compiler cannot infer this.
  if (!found) throw notFound();
  return found;
};

/**
 * Returns the division in which the actor may list or create users, from the scope of the action.
 *
 * @throws DomainError like {@link authorize}.
 */
export const ownDivision = (actor: Actor | null, action: 'listUsers' | 'createUser'): DivisionId => {
  const allowed = scope(actor, action);
  if (typeof allowed === 'object' && allowed.divisionId !== null) return allowed.divisionId;
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
  const allowed = scope(actor, action);
  if (typeof allowed === 'object' && allowed.userId !== null) return allowed.userId;
  // The scope is empty only for an unauthenticated caller.
  throw invalidToken();
};

/** For each field, the rule that says who may write it. */
export type FieldRights = Readonly<Record<string, Rule<FieldTarget>>>;

/**
 * Returns a fault for each sent field that the caller may not write to the user: `field_forbidden` with the rule that was
 * not met, or `read_only` or `unknown_field` for fields without a rule. If the caller or the user is not well-formed, no
 * field may be written.
 */
export const forbiddenFields = (
  caller: Caller,
  user: UserTarget,
  sent: SentFields,
  rights: FieldRights = fieldRights,
): readonly FieldFault[] => {
  const [actor, target] = [orNull(() => readActor(caller)), orNull(() => readUserTarget(user))];
  const mayWrite = (allows: Rule<FieldTarget>, value: unknown): boolean =>
    actor?.isActive === true && target !== null && permits(allows, actor, { ...target, value });
  return Object.entries(sent).flatMap(([field, value]): readonly FieldFault[] => {
    if (isOperator(caller) && target && operatorFields.includes(field)) return [];
    const allows = Object.hasOwn(rights, field) ? rights[field] : undefined;
    if (!allows) return [{ field, ...(isReadOnly(field) ? READ_ONLY : UNKNOWN_FIELD).fault }];
    if (mayWrite(allows, value)) return [];
    return [{ field, code: 'field_forbidden', detail: `may be written only by ${allows.description}` }];
  });
};

const isReadOnly = (field: string): boolean => (USER_READ_ONLY as readonly string[]).includes(field);

/**
 * Throws if a rule denies writing any of the sent fields. Ignores fields without a rule: the field checks report them.
 *
 * @throws DomainError `field_forbidden` with exactly the fields that a rule denies.
 */
export const authorizeFields = (caller: Caller, user: UserTarget, sent: SentFields): void => {
  const faults = forbiddenFields(caller, user, sent).filter(({ code }) => code === 'field_forbidden');
  if (faults.length > 0) throw fieldForbidden(faults);
};

/** The actions of a policy whose targets can be listed, because their rule is scoped. */
export type ScopedActionIn<P extends Policy> = {
  [A in keyof P & string]: P[A]['allows'] extends ScopedRule<never> ? A : never;
}[keyof P & string];

/** Makes {@link scope} for the rows of any policy. */
export const makeScope =
  <P extends Policy>(rows: P) =>
  (caller: Caller | null, action: ScopedActionIn<P>): Scope => {
    const row = typeof action === 'string' && Object.hasOwn(rows, action) ? rows[action] : undefined;
    if (!row || !isScoped(row.allows)) return 'none';
    if (isOperator(caller)) return row.allowsOperator === true ? 'all' : 'none';
    const actor = orNull(() => readActor(caller));
    return actor?.isActive ? row.allows.scope(actor) : 'none';
  };

/**
 * Returns the targets for which `can(caller, action, target)` is true. Never throws: a caller who is missing, inactive or
 * not well-formed has the scope `none`.
 */
export const scope = makeScope(policy);
