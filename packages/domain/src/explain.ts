import type { Actor } from './actor.ts';
import { policy } from './policy.ts';
import type { Policy, PolicyRow } from './rule.ts';

/** A name of something that a caller may do: a row of {@link policy}. */
export type Action = keyof typeof policy;

/** What an action of a policy is done to. */
export type TargetIn<P extends Policy, A extends keyof P> = Parameters<P[A]['allows']>[1];

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

/** Decides by the rows of a policy: {@link explain} for any rows. Pure; an action without a row is denied to everybody. */
export const makeExplain =
  <P extends Policy>(rows: P) =>
  <A extends keyof P & string>(actor: Actor | null, action: A, target: TargetIn<P, A> | null): Decision => {
    if (!Object.hasOwn(rows, action)) return { outcome: 'forbidden', rule: 'nobody', reason: 'no rule allows this' };
    const { allows, knows } = rows[action] as PolicyRow<TargetIn<P, A>>;
    const decision = (outcome: Outcome, reason: string): Decision => ({ outcome, rule: allows.words, reason });
    if (!actor?.isActive) return decision('unauthenticated', 'only an active user may do anything');
    if (target === null || target === undefined) return decision('not_found', 'the target does not exist');
    if (allows(actor, target)) return decision('allowed', `${allows.words} may do this`);
    if (knows(actor, target)) return decision('forbidden', `only ${allows.words} may do this`);
    return decision('not_found', `only ${knows.words} may know of the target`);
  };

/**
 * Decides whether somebody may do something, and says which rule decided. Pure and total: it never throws, and what it
 * cannot make sense of it denies. A null target is one that is not there; a null actor is nobody.
 */
export const explain: <A extends Action>(actor: Actor | null, action: A, target: TargetOf<A> | null) => Decision =
  makeExplain(policy);

/** Tells whether somebody may do something. Never throws. */
export const can = <A extends Action>(actor: Actor | null, action: A, target: TargetOf<A> | null): boolean =>
  explain(actor, action, target).outcome === 'allowed';
