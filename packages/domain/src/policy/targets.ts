import { type Actor, GROUPS, readGroups, type User, type UserId } from '../model/user.ts';
import { type Attributes, type ReadTarget, readerOf, type WithAttributes } from './attributes.ts';
import { type AnyRule, isScoped, orNull, type Rule, type ScopedRule, type TargetOfRules } from './rules.ts';

/** A type of target, defined by the table of its attributes. */
export interface TargetType<A extends Attributes> {
  /** The kind of each attribute. */
  readonly attributes: A;
  /** Copies the attributes of a target. Null for a value that is not a target of this type; throws if a getter throws. */
  readonly read: (value: unknown) => WithAttributes<A> | null;
}

/** Defines a type of target: `defineTarget({ id: 'uuid', ownerId: 'uuid', isPublished: 'boolean' })`. */
export const defineTarget = <const A extends Attributes>(attributes: A): TargetType<A> =>
  Object.freeze({
    attributes: Object.freeze({ ...attributes }),
    read: readerOf<unknown>(attributes, () => true) as TargetType<A>['read'],
  });

/** The type of target of a definition. */
export type TargetOfType<T> = T extends TargetType<infer A> ? WithAttributes<A> : never;

/** One action of a policy: who may perform it, and who may know that its target exists. */
export interface PolicyRow<Target, Allows extends AnyRule = Rule<Target>, Sees extends AnyRule = Rule<Target>> {
  /** Who may perform the action. */
  readonly allows: Allows;
  /** Who may know that the target exists: others get `not_found` instead of `forbidden`. */
  readonly canSee: Sees;
  /** Copies the attributes of a target that rules read; null for a value that is not a target of this action. */
  readonly readTarget: ReadTarget<Target>;
  /** Whether the operator may perform it, on every target. Absent means false. */
  readonly allowsOperator?: boolean;
}

/** Rows by action: those of this service, or those of a service that adds its own. */
export type Policy = Readonly<Record<string, PolicyRow<never, AnyRule, AnyRule>>>;

/** The names of the attributes that a rule reads: those of its clauses, or all if it is not scoped. */
type NeededBy<R, A> = R extends ScopedRule<never, never> ? keyof TargetOfRules<R> : keyof A;

type Simplified<T> = { readonly [Name in keyof T]: T[Name] };

/** A target of a row. The attributes that no rule of the row reads may be absent. The service itself has none. */
type TargetOfRow<A extends Attributes, R extends AnyRule> = [keyof A] extends [never]
  ? unknown
  : Simplified<
      Pick<WithAttributes<A>, keyof A & NeededBy<R, A>> & {
        readonly [Name in Exclude<keyof A, NeededBy<R, A>>]?: WithAttributes<A>[Name] | undefined;
      }
    >;

/** A rule that fits a type of target; otherwise what the compiler prints: what the rule reads and the target lacks. */
export type FittingRule<R extends AnyRule, Target> =
  R extends Rule<Target, never> ? R : LackedBy<R, Target> extends never ? Rule<Target, never> : LackedBy<R, Target>;

type LackedBy<
  R extends AnyRule,
  Target,
> = `the rule reads ${Exclude<keyof TargetOfRules<R>, keyof Target> & string}, which this type of target does not have`;

const needs = (each: AnyRule, name: string): boolean =>
  !isScoped(each) || each.clauses.some(({ equalities }) => equalities.some(({ attribute }) => attribute === name));

/** Makes an immutable row: who may perform an action, who may know of its target, and the type of target. */
export const row = <A extends Attributes, Allows extends AnyRule, Sees extends AnyRule>(
  allows: FittingRule<Allows, WithAttributes<A>>,
  canSee: FittingRule<Sees, WithAttributes<A>>,
  { attributes }: TargetType<A>,
): PolicyRow<TargetOfRow<A, Allows | Sees>, Allows, Sees> => {
  const rules = { allows: allows as Allows, canSee: canSee as Sees };
  const isNeeded = (name: string): boolean => needs(rules.allows, name) || needs(rules.canSee, name);
  return Object.freeze({ ...rules, readTarget: readerOf(attributes, isNeeded) });
};

/** Makes a function that makes rows about one type of target, which the same actors may know of. */
export const rowsFor =
  <A extends Attributes, Sees extends AnyRule>(target: TargetType<A>, canSee: FittingRule<Sees, WithAttributes<A>>) =>
  <Allows extends AnyRule>(allows: FittingRule<Allows, WithAttributes<A>>) =>
    row<A, Allows, Sees>(allows, canSee, target);

/** Makes a row that allows the operator too. */
export const orOperator = <Row extends Policy[string]>(allowed: Row): Row =>
  Object.freeze({ ...allowed, allowsOperator: true });

/** The types of target of this service. The service itself has no attributes and always exists. */
export const targetTypes = Object.freeze({
  /** A user, as `asTarget` returns them. */
  user: defineTarget({ id: 'uuid', divisionId: 'uuid or null', isStaff: 'boolean', isSuperuser: 'boolean' }),
  /** A division, whose `divisionId` is its own id. */
  division: defineTarget({ divisionId: 'uuid or null' }),
  /** The service itself, for what belongs to no user and no division. */
  service: defineTarget({}),
});

const ACTOR = readerOf({ ...targetTypes.user.attributes, username: 'text', isActive: 'boolean' }, () => true);

/** Says what is wrong with a value that is not an actor. */
export const actorFault = (value: unknown): string =>
  ACTOR.faultIn(value) ||
  (orNull(() => readGroups((value as Actor).groups))
    ? 'one of its own properties cannot be read'
    : `groups must be an array of ${GROUPS.join(', ')}, each at most once`);

/** A user as target of an action. */
export type UserTarget = TargetOfType<typeof targetTypes.user>;

/** A value to be written to a field. Undefined stands for any value: whether the field is writable regardless of the value. */
export interface WrittenValue {
  /** The value as it was sent, before any check. */
  readonly value: unknown;
}

/** A value to be written to a field of a user. */
export type FieldTarget = UserTarget & WrittenValue;

/** Returns a user as target of an action. */
export const asTarget = (user: User): UserTarget => ({
  id: user.id,
  divisionId: user.division.id,
  isStaff: user.isStaff,
  isSuperuser: user.isSuperuser,
});

/** Returns a user who may have been deleted as target of an action. A deleted user has only an id. */
export const asPerson = (id: UserId, found: User | null): Pick<UserTarget, 'id' | 'divisionId'> =>
  found ? asTarget(found) : { id, divisionId: null };
