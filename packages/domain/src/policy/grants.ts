import type { Actor } from '../model/user.ts';
import { type Action, makeCan, type TargetIn, type TargetOf } from './authorize.ts';
import { actorsFor, type Scope } from './conditions.ts';
import { policy } from './policy.ts';
import { alternativesOf } from './rules.ts';
import type { Policy } from './targets.ts';

/** A rule that can allow an action on one target, and the actors that may satisfy the rule. */
export interface Grant {
  /** Describes the actors that the rule allows. */
  readonly rule: string;
  /** A set of actors, by their properties, that contains every actor that the rule allows, and possibly others. */
  readonly candidates: Scope;
  /** Whether the rule allows the action to an actor. */
  readonly allows: (actor: Actor) => boolean;
}

/** Makes {@link grants} for the rows of any policy. Returns no grants for an action without a row. */
export const makeGrants =
  <P extends Policy>(rows: P) =>
  <A extends keyof P & string>(action: A, target: TargetIn<P, A>): readonly Grant[] => {
    if (!Object.hasOwn(rows, action)) return [];
    const row = rows[action] as Policy[string];
    return alternativesOf(row.allows).map((allows) => {
      const can = makeCan({ [action]: { ...row, allows, allowsOperator: false } });
      return {
        rule: allows.description,
        candidates: allows.clauses ? actorsFor(allows.clauses, target) : 'all',
        allows: (actor) => can(actor as never, action, target as never),
      };
    });
  };

/**
 * Returns the rules that can allow an action on a target to users. `can(actor, action, target)` is true exactly if one
 * of them allows the actor.
 */
export const grants: <A extends Action>(action: A, target: TargetOf<A>) => readonly Grant[] = makeGrants(policy);
