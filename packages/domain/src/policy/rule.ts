import type { Actor } from '../model/user.ts';

/** A pure predicate of who acts and on what, with a description of the actors that it allows ("a Leader of the division"). */
export interface Rule<Target> {
  (actor: Actor, target: Target): boolean;
  readonly description: string;
}

/** One action of a policy: who may do it, and who may know that its target is there. To all others it does not exist. */
export interface PolicyRow<Target> {
  readonly allows: Rule<Target>;
  readonly canSee: Rule<Target>;
  /** Copies what rules read of a target; null for a value that is no target of this action. */
  readonly readTarget: (value: unknown) => object | null;
}

/** Makes a row that cannot be changed. */
export const row = <Target>(
  allows: Rule<Target>,
  canSee: Rule<Target>,
  readTarget: (value: unknown) => (Target & object) | null,
): PolicyRow<Target> => Object.freeze({ allows, canSee, readTarget });

/** Rows by the names of their actions: this service's own, or those of a service that adds some. */
export type Policy = Readonly<Record<string, PolicyRow<never>>>;

/** Gives a predicate its description. The rule cannot be changed. */
export const rule = <Target>(description: string, allows: (actor: Actor, target: Target) => boolean): Rule<Target> =>
  Object.freeze(Object.assign((actor: Actor, target: Target) => allows(actor, target), { description }));

/** Applies a rule. A rule that throws or returns anything but `true`, such as a promise, denies. */
export const holds = <Target>(allows: Rule<Target>, actor: Actor, target: Target): boolean =>
  orNull((): unknown => allows(actor, target)) === true;

/** The result, or null when the function throws. */
export const orNull = <T>(read: () => T): T | null => {
  try {
    return read();
  } catch {
    return null;
  }
};

/** Allows whomever one of the rules allows. */
export const anyOf = <Target>(...rules: readonly Rule<Target>[]): Rule<Target> =>
  rule(inWords(rules.map(({ description }) => description)), (actor, target) =>
    rules.some((allows) => allows(actor, target)),
  );

const inWords = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' or ');
