import type { Actor } from '../model/user.ts';
import { type Action, makeCan, type TargetIn, type TargetOf } from './authorize.ts';
import { policy } from './policy.ts';
import { alternativesOf, type Policy, type PolicyRow, type Reach, type Scope, type ScopeTarget } from './rules.ts';

/** A set of actors: all, or those with the division or the id. A null id adds no actor. */
export type Candidates = Exclude<Scope, 'none'>;

/** A rule that can allow an action on one target, and the actors that it can allow it. */
export interface Grant {
  /** Describes the actors that the rule allows. */
  readonly rule: string;
  /** Contains every actor that the rule can allow the action, by their division or their id. */
  readonly candidates: Candidates;
  /** Whether the rule allows an actor the action. */
  readonly allows: (actor: Actor) => boolean;
}

/** The actors that a rule of each reach can allow a target: the relation of `scope`, read from the target's side. */
const CANDIDATES_BY_REACH: Readonly<Record<Reach, (target: ScopeTarget) => Candidates>> = {
  everything: () => 'all',
  ownDivision: ({ divisionId }) => ({ divisionId, userId: null }),
  self: ({ id = null }) => ({ divisionId: null, userId: id }),
};

/** Returns {@link grants} for the rows of any policy. No rule allows an action without a row. */
export const makeGrants =
  <P extends Policy>(rows: P) =>
  <A extends keyof P & string>(action: A, target: TargetIn<P, A>): readonly Grant[] => {
    if (!Object.hasOwn(rows, action)) return [];
    const row = rows[action] as PolicyRow<object>;
    return alternativesOf(row.allows).map((allows) => {
      const can = makeCan({ [action]: { ...row, allows } });
      return {
        rule: allows.description,
        candidates: allows.reach ? CANDIDATES_BY_REACH[allows.reach](target) : 'all',
        allows: (actor) => can(actor, action, target as never),
      };
    });
  };

/**
 * Returns the rules that can allow an action on a target. `can(actor, action, target)` is true exactly if one of them
 * allows the actor.
 */
export const grants: <A extends Action>(action: A, target: TargetOf<A>) => readonly Grant[] = makeGrants(policy);
