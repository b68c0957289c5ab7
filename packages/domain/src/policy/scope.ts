import { type Actor, readActor } from '../model/actor.ts';
import { policy } from './policy.ts';
import { isScoped, orNull, type Policy, type Scope, type ScopedRule } from './rule.ts';

/** The actions of a policy whose targets can be listed: those whose rule is scoped. */
export type ScopedActionIn<P extends Policy> = {
  [A in keyof P & string]: P[A]['allows'] extends ScopedRule<never> ? A : never;
}[keyof P & string];

/** Returns the targets of an action by the rows of a policy: {@link scope} for any rows. */
export const makeScope =
  <P extends Policy>(rows: P) =>
  (actor: Actor | null, action: ScopedActionIn<P>): Scope => {
    const who = orNull(() => readActor(actor));
    const allows = typeof action === 'string' && Object.hasOwn(rows, action) ? rows[action]?.allows : undefined;
    return who?.isActive && allows && isScoped(allows) ? allows.scope(who) : 'none';
  };

/**
 * The targets for which `can(actor, action, target)` is true, as data. Never throws: an actor who is not signed in,
 * inactive or not well-formed has the scope `none`.
 */
export const scope = makeScope(policy);
