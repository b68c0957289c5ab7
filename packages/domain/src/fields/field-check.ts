import type { AuditedChange } from '../model/audit-entry.ts';
import { parseCalendarDate } from '../model/dates.ts';
import { type FaultCode, type FieldFault, validationFailed } from '../model/errors.ts';
import { codePointLength, hasLongMarkRun, isFarTooLong, isVisibleText, normalizeText } from '../model/text.ts';
import { type CalendarDate, parseUuid } from '../model/user.ts';

/** The fault of a value, without the name of its field. */
export type Fault = Omit<FieldFault, 'field'>;

/** A valid value in the form in which it is stored, or the fault of an invalid one. */
export type Checked<T> = { readonly value: T } | { readonly fault: Fault };

/** Checks a sent value of any type. */
export type FieldCheck<T> = (input: unknown) => Checked<T>;

/** Limits of a text field, in code points after {@link normalizeText}. */
export interface TextRule {
  /** Minimum code points. */
  readonly min: number;
  /** Maximum code points. */
  readonly max: number;
  /** Pattern for the whole text, and the fault's detail if it does not match. */
  readonly pattern?: RegExp;
  /** What the fault says, such as "must contain only letters". */
  readonly patternDetail?: string;
}

/** Returns a fault in the form that a {@link FieldCheck} returns. */
export const fault = (code: FaultCode, detail: string): { readonly fault: Fault } => ({ fault: { code, detail } });

const tooLong = (max: number) => fault('too_long', `must have at most ${max} characters`);

/** Returns the fault of text that takes too long to normalize; undefined if {@link isNormalizable} returns true. */
export const normalizationFault = (text: string, maxCodePoints: number): { readonly fault: Fault } | undefined => {
  if (isFarTooLong(text, maxCodePoints)) return tooLong(maxCodePoints);
  return hasLongMarkRun(text) ? fault('invalid_format', 'has more than 30 combining marks in a row') : undefined;
};

const NOT_A_STRING = fault('invalid_type', 'must be a string');

/** Returns a check of strings, which passes a string to the given check. */
export const string =
  <T>(check: (input: string) => Checked<T>): FieldCheck<T> =>
  (input) =>
    typeof input === 'string' ? check(input) : NOT_A_STRING;

/** Accepts every string. For credentials that are compared, so that a fault reveals nothing about the stored ones. */
export const anyString: FieldCheck<string> = string((value) => ({ value }));

/** Returns a check of text by a rule. It checks type, raw length, characters, length and pattern, in this order. */
export const text = (rule: TextRule): FieldCheck<string> =>
  string((input) => {
    const unsafe = normalizationFault(input, rule.max);
    if (unsafe) return unsafe;
    const value = normalizeText(input);
    if (!isVisibleText(value)) return fault('invalid_format', 'contains a control or invisible character');
    const length = codePointLength(value);
    if (length < rule.min) {
      return fault('too_short', length === 0 ? 'must not be empty' : `must have at least ${rule.min} characters`);
    }
    if (length > rule.max) return tooLong(rule.max);
    if (rule.pattern && !rule.pattern.test(value)) {
      return fault('invalid_format', rule.patternDetail ?? 'does not have the expected format');
    }
    return { value };
  });

/** Accepts a UUID in any case, and returns it in lower case. */
export const uuid: FieldCheck<string> = string((input) => {
  const value = parseUuid(input);
  return value === undefined ? fault('invalid_format', 'must be a UUID') : { value };
});

/** Accepts a day that exists. */
export const day: FieldCheck<CalendarDate> = string((input) => {
  const value = parseCalendarDate(input);
  return value === undefined ? fault('invalid_format', 'must be a date that exists (YYYY-MM-DD)') : { value };
});

/** Returns a check that accepts null, and passes every other value to the given check. */
export const nullable =
  <T>(check: FieldCheck<T>): FieldCheck<T | null> =>
  (input) => {
    if (input === null) return { value: null };
    const checked = check(input);
    const isWrongType = 'fault' in checked && checked.fault.code === 'invalid_type';
    return isWrongType ? fault('invalid_type', `${checked.fault.detail} or null`) : checked;
  };

/** Checks that a value is a boolean. */
export const flag: FieldCheck<boolean> = (input) =>
  typeof input === 'boolean' ? { value: input } : fault('invalid_type', 'must be true or false');

/** The fault of a field that callers may not send. */
export const READ_ONLY = fault('read_only', 'is read-only');

/** The fault of an unknown field. */
export const UNKNOWN_FIELD = fault('unknown_field', 'is not a field of this request');

/** A check for each field that may be sent. */
export type FieldChecks<T> = { readonly [Field in keyof T]-?: FieldCheck<T[Field]> };

/** Fields of a request by domain name, with unchecked values. */
export type SentFields = Readonly<Record<string, unknown>>;

/** What a request sends, not yet checked. */
export interface SentRequest {
  readonly fields: SentFields;
  /** Faults that only an adapter can see, such as those of names and headers. They are reported with those of the fields. */
  readonly faults?: readonly FieldFault[];
}

/** Result of checking fields: the valid values, and all faults of the request. */
export interface CheckedFields<T> {
  /** The values of the valid fields, normalized. */
  readonly values: Partial<T>;
  readonly faults: readonly FieldFault[];
}

/**
 * Checks all sent fields. Absent fields in `required` get the fault `required`, fields in `readOnly` `read_only`, and
 * unknown fields `unknown_field`. A field gets no further fault if the adapter found one.
 */
export const checkFields = <T>(
  checks: FieldChecks<T>,
  { fields, faults: found = [] }: SentRequest,
  {
    readOnly = [],
    required = [],
  }: { readonly readOnly?: readonly string[]; readonly required?: readonly string[] } = {},
): CheckedFields<T> => {
  const isFaulty = (field: string): boolean => found.some((known) => known.field === field);
  const values: Partial<T> = {};
  const faults = [...found];
  for (const field of required) {
    const isMissing = !Object.hasOwn(fields, field) && !isFaulty(field);
    if (isMissing) faults.push({ field, code: 'required', detail: 'is required' });
  }
  for (const [field, input] of Object.entries(fields)) {
    if (isFaulty(field)) continue;
    const checked = Object.hasOwn(checks, field)
      ? checks[field as keyof T](input)
      : readOnly.includes(field)
        ? READ_ONLY
        : UNKNOWN_FIELD;
    if ('fault' in checked) faults.push({ field, ...checked.fault });
    else values[field as keyof T] = checked.value;
  }
  return { values, faults };
};

/** Throws `validation_failed` with all faults, if there are any. */
export const refuseFaults = (faults: readonly FieldFault[]): void => {
  if (faults.length > 0) throw validationFailed(faults);
};

// Field values are JSON: strings, booleans, null, arrays of groups, and references to divisions.
const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** Returns a function that compares two states of a record by the given fields. */
export const makeIsSame =
  <T>(fields: readonly (keyof T)[]) =>
  (one: T, other: T): boolean =>
    fields.every((field) => isSame(one[field], other[field]));

/** Changes of the fields of a record, by the domain name of the field. */
type AuditedChanges = Readonly<Record<string, AuditedChange>>;

const PASSWORD_CHANGED: AuditedChange = { old: null, new: 'changed' };

/** Returns a function that lists the changed fields among those given. Null is the state before creation or after deletion. */
export const makeDifferences =
  <T>(fields: readonly (keyof T & string)[]) =>
  (before: T | null, after: T | null, { passwordChanged = false } = {}): AuditedChanges => {
    const changes: Record<string, AuditedChange> = {};
    for (const field of fields) {
      const change = { old: before?.[field] ?? null, new: after?.[field] ?? null };
      if (!isSame(change.old, change.new)) changes[field] = change;
    }
    if (passwordChanged) changes['password'] = PASSWORD_CHANGED;
    return changes;
  };
