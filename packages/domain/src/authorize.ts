import type { Actor } from './actor.ts';
import type { DivisionId } from './division.ts';
import { type FieldFault, fieldForbidden, forbidden, invalidToken, notFound } from './errors.ts';
import type { SentFields } from './field-check.ts';
import { type FieldTarget, fieldRights, policy, type UserTarget } from './policy.ts';
import type { Rule } from './rule.ts';
import type { User } from './user.ts';

/** A name of something that a caller may do: a row of {@link policy}. */
export type Action = keyof typeof policy;

/** What an action is done to. */
export type TargetOf<A extends Action> = Parameters<(typeof policy)[A]['allows']>[1];

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
  /** A sentence that says why. */
  readonly reason: string;
}

/**
 * Decides whether somebody may do something, and says which rule decided. Pure and total: it never throws, and what it
 * cannot make sense of it denies. A null target is one that is not there; a null actor is nobody.
 */
export const explain = <A extends Action>(actor: Actor | null, action: A, target: TargetOf<A> | null): Decision => {
  const { allows, knows } = policy[action] as { allows: Rule<TargetOf<A>>; knows: Rule<TargetOf<A>> };
  const decision = (outcome: Outcome, reason: string): Decision => ({ outcome, rule: allows.words, reason });
  if (!actor?.isActive) return decision('unauthenticated', 'only an active user may do anything');
  if (target === null) return decision('not_found', 'the target does not exist');
  if (allows(actor, target)) return decision('allowed', `${allows.words} may do this`);
  if (knows(actor, target)) return decision('forbidden', `only ${allows.words} may do this`);
  return decision('not_found', `only ${knows.words} may know of the target`);
};

/** Tells whether somebody may do something. Never throws. */
export const can = <A extends Action>(actor: Actor | null, action: A, target: TargetOf<A> | null): boolean =>
  explain(actor, action, target).outcome === 'allowed';

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
 * The division whose users an actor may list or create: their own, and no other. It is the scope of the list, so that
 * the rule that decides is also the one that restricts.
 *
 * @throws DomainError as {@link authorize}.
 */
export const ownDivision = (actor: Actor | null, action: 'listUsers' | 'createUser'): DivisionId => {
  const divisionId = actor?.divisionId ?? null;
  authorize(actor, action, { divisionId });
  if (divisionId === null) throw notFound();
  return divisionId;
};

/** A user as the policy sees them. */
export const asTarget = (user: User): UserTarget => ({
  id: user.id,
  divisionId: user.division.id,
  isStaff: user.isStaff,
  isSuperuser: user.isSuperuser,
});

/** Those of the fields sent that the actor may not write to the user, each with the rule that is missing. */
export const forbiddenFields = (actor: Actor, user: UserTarget, sent: SentFields): readonly FieldFault[] =>
  Object.entries(fieldRights as Record<string, Rule<FieldTarget>>)
    .filter(([field, allows]) => Object.hasOwn(sent, field) && !allows(actor, { ...user, value: sent[field] }))
    .map(([field, { words }]) => ({ field, code: 'field_forbidden', detail: `may be written by ${words} only` }));

/**
 * Lets through fields that the actor may write.
 *
 * @throws DomainError `field_forbidden` with all the others, and those alone.
 */
export const authorizeFields = (actor: Actor, user: UserTarget, sent: SentFields): void => {
  const faults = forbiddenFields(actor, user, sent);
  if (faults.length > 0) throw fieldForbidden(faults);
};
