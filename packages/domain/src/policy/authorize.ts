import { READ_ONLY, type SentFields, UNKNOWN_FIELD } from '../fields/field-check.ts';
import { USER_READ_ONLY } from '../fields/user-checks.ts';
import type { DivisionId } from '../model/division.ts';
import { type FieldFault, fieldForbidden, forbidden, invalidToken, notFound } from '../model/errors.ts';
import { type Actor, readActor, type User, type UserId } from '../model/user.ts';
import { fieldRights, policy } from './policy.ts';
import {
  asTarget,
  type FieldTarget,
  holds,
  orNull,
  type Policy,
  type PolicyRow,
  type Rule,
  readUserTarget,
  type UserTarget,
} from './rules.ts';
import { scope } from './scope.ts';

/** A name of something that a caller may do: a row of {@link policy}. */
export type Action = keyof typeof policy;

/** What an action of a policy is done to. */
export type TargetIn<P extends Policy, A extends keyof P> = Parameters<P[A]['canSee']>[1];

/** What an action is done to. */
export type TargetOf<A extends Action> = TargetIn<typeof policy, A>;

/**
 * How a decision ends: `not_found` where the actor may not know of the target, `forbidden` where they may but may not do
 * this, `unauthenticated` for nobody and for the inactive.
 */
export type Outcome = 'allowed' | 'forbidden' | 'not_found' | 'unauthenticated';

/** A decision and the rule that made it. */
export interface Decision {
  readonly outcome: Outcome;
  /** Who may do this, in words. */
  readonly rule: string;
  /** A sentence part that says why. */
  readonly reason: string;
}

const NO_ROW: Decision = Object.freeze({ outcome: 'forbidden', rule: 'nobody', reason: 'no rule allows this' });

/** Decides by the rows of a policy: {@link explain} for any rows. An action without a row is denied to every actor. */
export const makeExplain =
  <P extends Policy>(rows: P) =>
  <A extends keyof P & string>(actor: Actor | null, action: A, target: TargetIn<P, A> | null): Decision => {
    if (typeof action !== 'string' || !Object.hasOwn(rows, action)) return NO_ROW;
    const { allows, canSee, readTarget } = rows[action] as PolicyRow<object>;
    const decision = (outcome: Outcome, reason: string): Decision => ({ outcome, rule: allows.description, reason });
    const who = orNull(() => readActor(actor));
    if (!who?.isActive) return decision('unauthenticated', 'only an active user may do anything');
    const what = orNull(() => readTarget(target));
    if (!what) return decision('not_found', 'the target does not exist');
    if (holds(allows, who, what)) return decision('allowed', `${allows.description} may do this`);
    if (holds(canSee, who, what)) return decision('forbidden', `only ${allows.description} may do this`);
    return decision('not_found', `only ${canSee.description} may know of the target`);
  };

/**
 * Decides whether an actor may do something, and says which rule decided. Pure and total: it never throws. It decides on
 * copies, so that what it checked is what the rules read. Anything but a well-formed {@link Actor} is an actor without a
 * login; anything but a well-formed target does not exist.
 */
export const explain: <A extends Action>(actor: Actor | null, action: A, target: TargetOf<A> | null) => Decision =
  makeExplain(policy);

/** Answers yes or no by the rows of a policy: {@link can} for any rows. An action without a row is denied to every actor. */
export const makeCan = <P extends Policy>(rows: P) => {
  const explainBy = makeExplain(rows);
  return <A extends keyof P & string>(actor: Actor | null, action: A, target: TargetIn<P, A> | null): boolean =>
    explainBy(actor, action, target).outcome === 'allowed';
};

/** Tells whether an actor may do something. Never throws; denies what it cannot read. */
export const can: <A extends Action>(actor: Actor | null, action: A, target: TargetOf<A> | null) => boolean =
  makeCan(policy);

/**
 * Lets the allowed through, and tells TypeScript that there is an actor.
 *
 * @throws DomainError `not_found` where the actor may not know of the target, `forbidden` where they may but may not do
 *   this, `invalid_token` for nobody and the inactive.
 */
export function authorize<A extends Action>(
  actor: Actor | null,
  action: A,
  target: TargetOf<A> | null,
): asserts actor is Actor {
  const { outcome, reason } = explain(actor, action, target);
  if (outcome === 'unauthenticated') throw invalidToken();
  if (outcome === 'not_found') throw notFound();
  if (outcome === 'forbidden') throw forbidden(reason);
}

/**
 * The user found, where the actor may do this to them.
 *
 * @throws DomainError as {@link authorize}.
 */
export const authorizedUser = (
  actor: Actor,
  action: 'getUser' | 'updateUser' | 'createPasswordLink',
  found: User | null,
): User => {
  authorize(actor, action, found && asTarget(found));
  // No rule allows anything to be done to an absent user; the compiler cannot know.
  if (!found) throw notFound();
  return found;
};

/**
 * Returns the division whose users the actor may list or create: the one in the scope of the action.
 *
 * @throws DomainError as {@link authorize}.
 */
export const ownDivision = (actor: Actor | null, action: 'listUsers' | 'createUser'): DivisionId => {
  const allowed = scope(actor, action);
  if (typeof allowed === 'object' && allowed.divisionId !== null) return allowed.divisionId;
  authorize(actor, action, { divisionId: orNull(() => readActor(actor))?.divisionId ?? null });
  // No rule allows anything outside the scope; the compiler cannot know.
  throw notFound();
};

/**
 * Returns the user whose sessions the actor may end: the one in the scope of the action.
 *
 * @throws DomainError as {@link authorize}.
 */
export const ownSessionsOf = (actor: Actor | null): UserId => {
  const allowed = scope(actor, 'endOwnSession');
  if (typeof allowed === 'object' && allowed.userId !== null) return allowed.userId;
  // The scope is empty only for an actor who is not signed in.
  throw invalidToken();
};

/** Rules by the names of the fields that they let somebody write. */
export type FieldRights = Readonly<Record<string, Rule<FieldTarget>>>;

/**
 * The fields sent that the actor may not write to the user: `field_forbidden` with the rule that is missing, `read_only`
 * and `unknown_field` for those that have no rule. An actor or user that is not well-formed gives no right to any field.
 */
export const forbiddenFields = (
  actor: Actor,
  user: UserTarget,
  sent: SentFields,
  rights: FieldRights = fieldRights,
): readonly FieldFault[] => {
  const [who, target] = [orNull(() => readActor(actor)), orNull(() => readUserTarget(user))];
  const mayWrite = (allows: Rule<FieldTarget>, value: unknown): boolean =>
    who?.isActive === true && target !== null && holds(allows, who, { ...target, value });
  return Object.entries(sent).flatMap(([field, value]): readonly FieldFault[] => {
    const allows = Object.hasOwn(rights, field) ? rights[field] : undefined;
    if (!allows) return [{ field, ...(isReadOnly(field) ? READ_ONLY : UNKNOWN_FIELD).fault }];
    if (mayWrite(allows, value)) return [];
    return [{ field, code: 'field_forbidden', detail: `may be written only by ${allows.description}` }];
  });
};

const isReadOnly = (field: string): boolean => (USER_READ_ONLY as readonly string[]).includes(field);

/**
 * Lets through fields that the actor may write, and those that no rule decides: the field checks report them.
 *
 * @throws DomainError `field_forbidden` with all fields that a rule denies, and those alone.
 */
export const authorizeFields = (actor: Actor, user: UserTarget, sent: SentFields): void => {
  const faults = forbiddenFields(actor, user, sent).filter(({ code }) => code === 'field_forbidden');
  if (faults.length > 0) throw fieldForbidden(faults);
};
