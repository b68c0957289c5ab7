import type { Actor } from '../model/user.ts';
import { type Action, makeCan, type TargetIn, type TargetOf } from './authorize.ts';
import { policy } from './policy.ts';
import { alternativesOf, type Policy, type PolicyRow, type Reach, type Scope, type ScopeTarget } from './rules.ts';

/** A set of actors: all, or the members of one division and one user. A null id adds no actor. */
export type Candidates = Exclude<Scope, 'none'>;

/** A rule that can allow an action on one target, and the actors that may satisfy the rule. */
export interface Grant {
  /** Describes the actors that the rule allows. */
  readonly rule: string;
  /** A set that contains every actor that the rule allows, and possibly others. */
  readonly candidates: Candidates;
  /** Whether the rule allows the action to an actor. */
  readonly allows: (actor: Actor) => boolean;
}

/** For each reach, the actors with the target in their scope: the inverse of `SCOPES_BY_REACH`. */
const CANDIDATES_BY_REACH: Readonly<Record<Reach, (target: ScopeTarget) => Candidates>> = {
  everything: () => 'all',
  ownDivision: ({ divisionId }) => ({ divisionId, userId: null }),
  self: ({ id = null }) => ({ divisionId: null, userId: id }),
};

/** Makes {@link grants} for the rows of any policy. Returns no grants for an action without a row. */
export const makeGrants =
  <P extends Policy>(rows: P) =>
  <A extends keyof P & string>(action: A, target: TargetIn<P, A>): readonly Grant[] => {
    if (!Object.hasOwn(rows, action)) return [];
    const row = rows[action] as PolicyRow<object>;
    return alternativesOf(row.allows).map((allows) => {
      const can = makeCan({ [action]: { ...row, allows, allowsOperator: false } });
      return {
        rule: allows.description,
        candidates: allows.reach ? CANDIDATES_BY_REACH[allows.reach](target) : 'all',
        allows: (actor) => can(actor, action, target as never),
      };
    });
  };

/**
 * Returns the rules that can allow an action on a target to users. `can(actor, action, target)` is true exactly if one of
 * them allows the actor.
 */
export const grants: <A extends Action>(action: A, target: TargetOf<A>) => readonly Grant[] = makeGrants(policy);
