import { CHANGEABLE_DIVISION_FIELDS } from '../fields/division-fields.ts';
import type { Division } from '../model/division.ts';
import { notFound } from '../model/errors.ts';
import type { Actor, User } from '../model/user.ts';
import { type Action, authorize, explain } from '../policy/authorize.ts';
import type { Scope } from '../policy/conditions.ts';
import { credentialRefusal } from '../policy/credentials.ts';
import { writableFields } from '../policy/fields.ts';
import { fieldRights, operatorActions, policy, type TargetKind, targetKindOf } from '../policy/policy.ts';
import { type AnyRule, alternativesOf, isScoped, reachOf } from '../policy/rules.ts';
import { asTarget, type UserTarget } from '../policy/targets.ts';
import { callerAndTarget, type PendingCaller } from './steps/authenticate.ts';
import type { Ports } from './steps/ports.ts';

/** A user or a division that a caller asks about. */
export interface PermissionTarget {
  /** What the id names. */
  readonly kind: Exclude<TargetKind, 'service'>;
  /** A UUID in lower case. */
  readonly id: string;
}

/** An action, or a field of users, with the targets that the caller has the right to. */
interface Permission {
  readonly name: string;
  readonly scope: Scope;
  /** Whether the right applies to all of the scope. If not, only the decision about a target says whether it applies there. */
  readonly isExact: boolean;
}

/** What a caller may do with their credential. See contract §3. */
export interface Permissions {
  readonly actions: readonly Permission[];
  readonly writableFields: readonly Permission[];
  /** Null if the caller asked about no target. An outcome may also be the code with which the credential is refused. */
  readonly target: {
    /** The decision about each action on such a target. */
    readonly decisions: readonly { readonly action: Action; readonly outcome: string; readonly reason: string }[];
    /** The fields of the target that the caller may change. */
    readonly writableFields: readonly string[];
  } | null;
}

const API_ACTIONS = (Object.keys(policy) as Action[]).filter((action) => !operatorActions.includes(action));
const ACTION_RULES = API_ACTIONS.map((action) => [action, policy[action].allows] as const);

/** The rules of fields without that of `division`, which depends on the written value: only the present one is accepted. */
const FIELD_RULES = Object.entries<AnyRule>(fieldRights).filter(([, { clauses }]) => clauses);

const mayChange = (actor: Actor) => (field: string) => !credentialRefusal(actor, 'updateUser', { [field]: undefined });

/** Whether a rule allows all of its reach: the alternatives that can allow anything to the actor are scoped. */
const isExact = (allows: AnyRule, actor: Actor): boolean =>
  alternativesOf(allows).every((each) => isScoped(each) || reachOf(each, actor) === 'none');

/** Decides every action on a target of a kind. @throws DomainError `not_found` if the caller may not know of the target. */
const decideOn = (actor: Actor, kind: TargetKind, found: User | Division | null): Permissions['target'] => {
  const target = found && ('division' in found ? asTarget(found) : { divisionId: found.id });
  const actions = API_ACTIONS.filter((action) => targetKindOf(action) === kind);
  const decided = actions.map((action) => Object.assign({ action }, explain(actor, action, target as never)));
  if (decided.every(({ outcome }) => outcome === 'not_found')) throw notFound();
  const decisions = decided.map(({ action, outcome, reason }) => {
    const refusal = credentialRefusal(actor, action);
    return refusal ? { action, outcome: refusal.code, reason: refusal.message } : { action, outcome, reason };
  });
  const mayUpdate = decisions.some(({ action, outcome }) => action === 'updateDivision' && outcome === 'allowed');
  // A division is no user, so it has none of these.
  const ofUser = writableFields(actor, target as UserTarget).filter(mayChange(actor));
  return { decisions, writableFields: mayUpdate ? CHANGEABLE_DIVISION_FIELDS : ofUser };
};

/**
 * Reads what the caller may do with the credential of the request, and with a target, if they ask about one.
 *
 * @throws DomainError like {@link authorize}; `not_found` for a target that the caller may not know of.
 */
export const makeGetPermissions =
  ({ divisions, users }: Pick<Ports, 'divisions' | 'users'>) =>
  async (pending: PendingCaller<Actor>, asked: PermissionTarget | null): Promise<Permissions> => {
    const finding = asked?.kind === 'user' ? users.find(asked.id) : asked && divisions.find(asked.id);
    const [actor, found] = await callerAndTarget<Actor, User | Division | null>(pending, Promise.resolve(finding));
    authorize(actor, 'getPermissions', {});
    const permissions = (rules: readonly (readonly [string, AnyRule])[], suffices: (name: string) => boolean) =>
      rules
        .map(([name, allows]) => ({ name, scope: reachOf(allows, actor), isExact: isExact(allows, actor) }))
        .filter(({ name, scope }) => scope !== 'none' && suffices(name));
    return {
      actions: permissions(ACTION_RULES, (action) => !credentialRefusal(actor, action)),
      writableFields: permissions(FIELD_RULES, mayChange(actor)),
      target: asked && decideOn(actor, asked.kind, found),
    };
  };
