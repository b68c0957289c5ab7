import { type Actor, type Group, isAdministrator } from '../model/user.ts';
import {
  boundedClauses,
  type Clause,
  type Condition,
  clausesOf,
  isMet,
  type Match,
  type Scope,
  scopeOf,
  type Value,
} from './conditions.ts';

/** A pure predicate on an actor and a target, with a description of the actors that it allows ("a Leader of the division"). */
export interface Rule<Target, Acting extends Actor = Actor> {
  /** Whether the rule allows the actor to act on the target. */
  (actor: Acting, target: Target): boolean;
  /** Describes the actors that it allows, so that it completes "only … may do this". */
  readonly description: string;
  /** Every target that the rule allows meets one of these; absent if they are not known. */
  readonly clauses?: readonly Clause[];
  /** The rules that {@link anyOf} combined; each of them suffices. */
  readonly alternatives?: readonly AnyRule[];
}

/** A rule whose targets can be listed: exactly those in the actor's scope, which meet its clauses. */
export interface ScopedRule<Target, Acting extends Actor = Actor> extends Rule<Target, Acting> {
  readonly clauses: readonly Clause[];
  /** Returns the targets that the rule allows to an actor, as data. */
  readonly scope: (actor: Acting) => Scope;
}

/** A rule for some type of target and actor. */
export type AnyRule = Rule<never, never>;
type AnyScopedRule = ScopedRule<never, never>;

/** The type of target that all of these rules accept. */
export type TargetOfRules<R extends AnyRule> = [R] extends [(actor: never, target: infer Target) => boolean]
  ? Target
  : never;

/** The type of actor that all of these rules accept. */
export type ActorOfRules<R extends AnyRule> = [R] extends [
  (actor: infer Acting extends Actor, target: never) => boolean,
]
  ? Acting
  : never;

type MatchesOf<C> = C extends readonly (infer One)[] ? One : C;
type NamesOf<M> = M extends M ? keyof M & string : never;
type OperandsOf<M, Name> = M extends M ? (Name extends keyof M ? M[Name] : never) : never;
type Comparable<Operand> = Operand extends boolean
  ? boolean
  : Operand extends string
    ? string
    : Operand extends number
      ? number
      : Value;
type ReferencesOf<M> = Extract<OperandsOf<M, NamesOf<M>>, { readonly actor: string }>['actor'];

/** The type of target that has the attributes of a condition. */
type TargetOfCondition<C> = [NamesOf<MatchesOf<C>>] extends [never]
  ? unknown
  : { readonly [Name in NamesOf<MatchesOf<C>>]: Comparable<OperandsOf<MatchesOf<C>, Name>> | null };

/** The type of actor that has the properties of a condition. */
type ActorOfCondition<C> = ActorWith<Exclude<ReferencesOf<MatchesOf<C>>, keyof Actor>>;
type ActorWith<Names extends string> = [Names] extends [never]
  ? Actor
  : Actor & { readonly [Name in Names]: Value | null };

/** The target of a predicate that does not name its type. To read attributes, name it: `(actor, target: UserTarget) => …`. */
export interface TargetWithoutTypeAnnotation {}

/** Makes an immutable rule from a predicate and its description. Its targets cannot be listed. */
export const rule = <Target = TargetWithoutTypeAnnotation, Acting extends Actor = Actor>(
  description: string,
  allows: (actor: Acting, target: Target) => boolean,
): Rule<Target, Acting> => freezeRule((actor: Acting, target: Target) => allows(actor, target), { description });

/**
 * Makes a rule that allows the targets that meet a condition to the actors that fulfil a predicate, by default to all. A
 * predicate that throws or returns anything but `true` allows no target. Decisions and scopes derive from the condition.
 *
 * @throws TypeError for a condition with other values; RangeError for one with more than 100 equalities.
 */
export const scopedRule = <const C extends Condition>(
  description: string,
  condition: C,
  holds: (actor: ActorOfCondition<C>) => boolean = () => true,
): ScopedRule<TargetOfCondition<C>, ActorOfCondition<C>> => ruleOfClauses(clausesOf(condition, holds), { description });

/** Makes a scoped rule that allows what `base` does, to targets that meet the condition. @throws like {@link scopedRule}. */
export const where = <Base extends AnyScopedRule, const C extends Condition>(
  base: Base,
  description: string,
  condition: C,
): ScopedRule<TargetOfRules<Base> & TargetOfCondition<C>, ActorOfRules<Base> & ActorOfCondition<C>> => {
  const added = clausesOf(condition, () => true);
  const clauses = base.clauses.flatMap(({ equalities, holds }) =>
    added.map((one) => ({ equalities: [...equalities, ...one.equalities], holds })),
  );
  return ruleOfClauses(boundedClauses(clauses), { description });
};

/**
 * Makes a rule that allows what `base` allows if a predicate is true too. It has no scope, because the predicate reads
 * the target; {@link where} restricts a rule by a condition.
 */
export const restrict = <Base extends AnyRule, Target = TargetOfRules<Base>>(
  base: Base,
  description: string,
  condition: (actor: ActorOfRules<Base>, target: Target) => boolean,
): Rule<TargetOfRules<Base> & Target, ActorOfRules<Base>> => {
  const { clauses } = base;
  const allows = (actor: ActorOfRules<Base>, target: TargetOfRules<Base> & Target): boolean =>
    permits(base, actor, target) && condition(actor, target);
  return freezeRule(allows, { description, ...(clauses && { clauses }) });
};

type RuleProperties = Pick<AnyRule, 'description' | 'alternatives'>;

const freezeRule = <Allows extends (...args: never) => boolean, Properties extends object>(
  allows: Allows,
  properties: Properties,
) => Object.freeze(Object.assign(allows, properties));

const ruleOfClauses = <Target, Acting extends Actor>(
  clauses: readonly Clause[],
  properties: RuleProperties,
): ScopedRule<Target, Acting> => {
  const allows = (actor: Acting, target: Target): boolean => {
    for (const clause of clauses) {
      try {
        if (isMet(clause, actor, target as object)) return true;
      } catch {
        // A predicate that throws allows nothing.
      }
    }
    return false;
  };
  return freezeRule(allows, {
    ...properties,
    clauses,
    scope: Object.freeze((actor: Acting) => reachOf({ clauses }, actor)),
  });
};

/** Whether the targets of a rule can be listed. */
export const isScoped = (allows: AnyRule): allows is AnyScopedRule => 'scope' in allows;

/**
 * Returns a set of targets that contains all that a rule allows to an actor. It contains no others if the rule is
 * scoped, and may be `all` if it is not.
 */
export const reachOf = ({ clauses }: Pick<AnyRule, 'clauses'>, actor: Actor): Scope => {
  const held = clauses?.filter(({ holds }) => permits(holds, actor, undefined));
  return held ? scopeOf(held, actor) : 'all';
};

/** Applies a rule. A rule that throws or returns anything but `true`, such as a promise, denies. */
export const permits = (allows: (actor: never, target: never) => boolean, actor: Actor, target: unknown): boolean => {
  try {
    return (allows(actor as never, target as never) as unknown) === true;
  } catch {
    return false;
  }
};

/** Returns the result of a function, or null if it throws. */
export const orNull = <T>(read: () => T): T | null => {
  try {
    return read();
  } catch {
    return null;
  }
};

type AnyOf<R extends AnyRule> = [R] extends [AnyScopedRule]
  ? ScopedRule<TargetOfRules<R>, ActorOfRules<R>>
  : Rule<TargetOfRules<R>, ActorOfRules<R>>;

/** Allows what any of the rules allows. Scoped if all rules are. @throws RangeError like {@link scopedRule}. */
export const anyOf = <const Rules extends readonly AnyRule[]>(...rules: Rules): AnyOf<Rules[number]> => {
  const description = joinWithOr(rules.map((each) => each.description));
  const properties = { description, alternatives: Object.freeze(rules.flatMap(alternativesOf)) };
  const all: readonly AnyRule[] = rules;
  const parts = all.flatMap(({ clauses }) => (clauses ? [clauses] : []));
  const clauses = parts.length === all.length ? boundedClauses(parts.flat()) : undefined;
  const allows = (actor: Actor, target: unknown): boolean => rules.some((each) => permits(each, actor, target));
  const combined: AnyRule =
    clauses && all.every(isScoped)
      ? ruleOfClauses(clauses, properties)
      : freezeRule(allows, { ...properties, ...(clauses && { clauses }) });
  return combined as AnyOf<Rules[number]>;
};

/** Returns the rules that {@link anyOf} combined, or the rule itself if `anyOf` did not make it. */
export const alternativesOf = (allows: AnyRule): readonly AnyRule[] => allows.alternatives ?? [allows];

const joinWithOr = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' or ');

const OWN_DIVISION = { divisionId: { actor: 'divisionId' } } as const satisfies Match;

const isMemberOf = (group: Group) => (actor: Actor) => actor.groups.includes(group);

/**
 * The rules for the rows of a policy. `leader`, `guest` and `divisionMember` apply in the actor's own division, and
 * `owner` to a target whose `ownerId` is the actor's id.
 */
export const rules = Object.freeze({
  /** Allows every active user everything. */
  authenticated: scopedRule('anyone who is authenticated', {}, (actor) => actor.isActive),
  /** Allows a user themself: the target whose `id` is theirs. */
  self: scopedRule('the user themself', { id: { actor: 'id' } }),
  /** Allows the owner of a target. */
  owner: scopedRule('the owner', { ownerId: { actor: 'id' } }),
  /** Allows a Leader what is in their division. */
  leader: scopedRule('a Leader of the division', OWN_DIVISION, isMemberOf('Leader')),
  /** Allows a Guest what is in their division. */
  guest: scopedRule('a Guest of the division', OWN_DIVISION, isMemberOf('Guest')),
  /** Allows every active user what is in their division. */
  divisionMember: scopedRule('a member of the division', OWN_DIVISION, (actor) => actor.isActive),
  /** Allows an Administrator everything. */
  administrator: scopedRule('an Administrator', {}, isAdministrator),
  /** Allows no user. It describes the operator, who may still act with `orOperator`. */
  noUser: ruleOfClauses<unknown, Actor>(boundedClauses([]), {
    description: 'the operator',
    alternatives: Object.freeze([]),
  }),
});
