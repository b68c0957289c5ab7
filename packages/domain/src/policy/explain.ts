import { type Actor, readActor } from '../model/actor.ts';
import { policy } from './policy.ts';
import { holds, orNull, type Policy, type PolicyRow } from './rule.ts';

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
