import { READ_ONLY, type SentFields, UNKNOWN_FIELD } from '../fields/field-check.ts';
import { USER_READ_ONLY } from '../fields/user-fields.ts';
import { type FieldFault, fieldForbidden } from '../model/errors.ts';
import { type Actor, type Caller, isOperator, readActor } from '../model/user.ts';
import type { Attributes, WithAttributes } from './attributes.ts';
import type { CallerOfRules } from './authorize.ts';
import { fieldRights, operatorFields } from './policy.ts';
import { type AnyRule, orNull, permits, type Rule } from './rules.ts';
import {
  type FieldTarget,
  type FittingRule,
  type TargetType,
  targetTypes,
  type UserTarget,
  type WrittenValue,
} from './targets.ts';

/** For each field, the rule that says who may write it. */
export type FieldRights<Target = FieldTarget, Acting extends Actor = Actor> = Readonly<
  Record<string, Rule<Target, Acting>>
>;

/** Fields that no rule decides about. */
interface OtherFields {
  /** Fields that no caller may write. */
  readonly readOnly?: readonly string[];
  /** Fields that the operator may write. */
  readonly ofOperator?: readonly string[];
}

/**
 * Makes {@link writableFields} and {@link forbiddenFields} for the fields of any type of target: for each field, the
 * rule that says who may write it.
 */
export const makeFieldRights = <A extends Attributes, const Rights extends Readonly<Record<string, AnyRule>>>(
  target: TargetType<A>,
  rights: { readonly [Field in keyof Rights]: FittingRule<Rights[Field], WithAttributes<A> & WrittenValue> },
  { readOnly = [], ofOperator = [] }: OtherFields = {},
) => {
  const ruleOf = (field: string): AnyRule | undefined =>
    Object.hasOwn(rights, field) ? (rights as Rights)[field] : undefined;
  const mayWriteTo = (caller: unknown, on: unknown) => {
    const [actor, read] = [orNull(() => readActor(caller)), orNull(() => target.read(on))];
    return (field: string, value: unknown): boolean => {
      if (isOperator(caller)) return read !== null && ofOperator.includes(field);
      const allows = ruleOf(field);
      return !!allows && !!actor?.isActive && read !== null && permits(allows, actor, { ...read, value });
    };
  };
  type RightsCaller = CallerOfRules<Rights[keyof Rights]>;
  return {
    /** Returns the fields that the caller may write to the target, with any value. */
    writableFields: (caller: RightsCaller | null, on: WithAttributes<A> | null): readonly string[] => {
      const mayWrite = mayWriteTo(caller, on);
      return (isOperator(caller) ? ofOperator : Object.keys(rights)).filter((field) => mayWrite(field, undefined));
    },
    /** Returns a fault for each sent field that the caller may not write to the target. */
    forbiddenFields: (
      caller: RightsCaller | null,
      on: WithAttributes<A> | null,
      sent: SentFields,
    ): readonly FieldFault[] => {
      const mayWrite = mayWriteTo(caller, on);
      return Object.entries(sent).flatMap(([field, value]): readonly FieldFault[] => {
        if (mayWrite(field, value)) return [];
        const allows = ruleOf(field);
        if (!allows) return [{ field, ...(readOnly.includes(field) ? READ_ONLY : UNKNOWN_FIELD).fault }];
        return [{ field, code: 'field_forbidden', detail: `may be written only by ${allows.description}` }];
      });
    },
  };
};

const ofUsers = makeFieldRights(targetTypes.user, fieldRights, {
  readOnly: USER_READ_ONLY,
  ofOperator: operatorFields,
});

/**
 * Returns a fault for each sent field that the caller may not write to the user: `field_forbidden` with the rule that
 * was not met, or `read_only` or `unknown_field` for fields without a rule. If the caller or the user is not
 * well-formed, no field may be written.
 */
export const forbiddenFields: (caller: Caller, user: UserTarget, sent: SentFields) => readonly FieldFault[] =
  ofUsers.forbiddenFields;

/**
 * Returns the fields that the caller may write to the user, if they may update the user. `division` is among none,
 * because only its present value is accepted. None if the caller or the user is not well-formed.
 */
export const writableFields: (caller: Caller | null, user: UserTarget | null) => readonly string[] =
  ofUsers.writableFields;

/**
 * Throws if a rule denies writing any of the sent fields. Ignores fields without a rule: the field checks report them.
 *
 * @throws DomainError `field_forbidden` with exactly the fields that a rule denies.
 */
export const authorizeFields = (caller: Caller, user: UserTarget, sent: SentFields): void => {
  const faults = forbiddenFields(caller, user, sent).filter(({ code }) => code === 'field_forbidden');
  if (faults.length > 0) throw fieldForbidden(faults);
};
