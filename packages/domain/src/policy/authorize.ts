import { READ_ONLY, type SentFields, UNKNOWN_FIELD } from '../fields/field-check.ts';
import { USER_READ_ONLY } from '../fields/user-checks.ts';
import { type Actor, readActor } from '../model/actor.ts';
import type { DivisionId } from '../model/division.ts';
import { type FieldFault, fieldForbidden, forbidden, invalidToken, notFound } from '../model/errors.ts';
import type { User } from '../model/user.ts';
import { type Action, explain, type TargetOf } from './explain.ts';
import { fieldRights } from './policy.ts';
import { holds, orNull, type Rule } from './rule.ts';
import { scope } from './scope.ts';
import { asTarget, type FieldTarget, readUserTarget, type UserTarget } from './targets.ts';

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
export const authorizedUser = (actor: Actor, action: 'getUser' | 'updateUser', found: User | null): User => {
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
