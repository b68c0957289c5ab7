import type { AuditedChange } from '../model/audit-entry.ts';
import { type FaultCode, type FieldFault, validationFailed } from '../model/errors.ts';
import { codePointLength, hasLongMarkRun, isFarTooLong, isVisibleText, normalizeText } from '../model/text.ts';

/** What is wrong with a value: a fault without the name of the field. */
export type Fault = Omit<FieldFault, 'field'>;

/** Either the value in the form that is stored, or what is wrong with it. */
export type Checked<T> = { readonly value: T } | { readonly fault: Fault };

/** A field's rule: takes what somebody sent, whatever its type. */
export type FieldCheck<T> = (input: unknown) => Checked<T>;

/** Bounds of a text field, in code points after {@link normalizeText}. */
export interface TextRule {
  readonly min: number;
  readonly max: number;
  /** What the whole text must match, and how to say so. */
  readonly pattern?: RegExp;
  readonly patternDetail?: string;
}

/** A refusal, for a {@link FieldCheck} to return. */
export const fault = (code: FaultCode, detail: string): { readonly fault: Fault } => ({ fault: { code, detail } });

const tooLong = (max: number) => fault('too_long', `must have at most ${max} characters`);

/** Returns why text must not be normalized; undefined if {@link isNormalizable} allows it. */
export const normalizationFault = (text: string, maxCodePoints: number): { readonly fault: Fault } | undefined => {
  if (isFarTooLong(text, maxCodePoints)) return tooLong(maxCodePoints);
  return hasLongMarkRun(text) ? fault('invalid_format', 'has more than 30 combining marks in a row') : undefined;
};

/** Checks text against its rule, in the order type, raw length, characters, length, pattern. */
export const text =
  (rule: TextRule): FieldCheck<string> =>
  (input) => {
    if (typeof input !== 'string') return fault('invalid_type', 'must be a string');
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
  };

/** Lets null through and leaves everything else to the check. */
export const nullable =
  <T>(check: FieldCheck<T>): FieldCheck<T | null> =>
  (input) =>
    input === null ? { value: null } : check(input);

/** Checks that a value is true or false. */
export const flag: FieldCheck<boolean> = (input) =>
  typeof input === 'boolean' ? { value: input } : fault('invalid_type', 'must be true or false');

/** What is wrong with a field that no caller may send. */
export const READ_ONLY = fault('read_only', 'is read only');

/** What is wrong with a field that has no check. */
export const UNKNOWN_FIELD = fault('unknown_field', 'is not a field of this request');

/** One check per field that may be sent. */
export type FieldChecks<T> = { readonly [Field in keyof T]-?: FieldCheck<T[Field]> };

/** Fields as somebody sent them: names of the domain, values of any type. */
export type SentFields = Readonly<Record<string, unknown>>;

/** What the checks made of the fields sent: the good values, and all the faults. */
export interface CheckedFields<T> {
  readonly values: Partial<T>;
  readonly faults: readonly FieldFault[];
}

/**
 * Checks all fields sent at once. Fields named in `readOnly` are refused as such, and unknown ones as unknown. A field
 * that `found` already names is not checked again: an adapter's own schema found its fault.
 */
export const checkFields = <T>(
  checks: FieldChecks<T>,
  sent: SentFields,
  { readOnly = [], found = [] }: { readonly readOnly?: readonly string[]; readonly found?: readonly FieldFault[] } = {},
): CheckedFields<T> => {
  const values: Partial<T> = {};
  const faults = [...found];
  for (const [field, input] of Object.entries(sent)) {
    if (found.some((known) => known.field === field)) continue;
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

/** Faults for the fields that must be there and are not. */
export const missing = (sent: SentFields, required: readonly string[]): readonly FieldFault[] =>
  required
    .filter((field) => !Object.hasOwn(sent, field))
    .map((field) => ({ field, code: 'required', detail: 'is required' }));

/** Throws `validation_failed` with all faults, if there is one. */
export const refuseFaults = (faults: readonly FieldFault[]): void => {
  if (faults.length > 0) throw validationFailed(faults);
};

// Values of fields are JSON: strings, booleans, null, arrays of groups, and references to divisions.
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Makes the comparison of two states of a record: whether they have the same values in the given fields. */
export const makeIsSame =
  <T>(fields: readonly (keyof T)[]) =>
  (one: T, other: T): boolean =>
    fields.every((field) => isSame(one[field], other[field]));

/** The changed fields of a record, by their names in the domain. */
type AuditedChanges = Readonly<Record<string, AuditedChange>>;

const PASSWORD_CHANGED: AuditedChange = { old: null, new: 'changed' };

/** Makes the list of what changed in the given fields; null stands for before the creation and after the deletion. */
export const makeDifferences =
  <T>(fields: readonly (keyof T & string)[]) =>
  (before: T | null, after: T | null, { passwordChanged = false } = {}): AuditedChanges => {
    const changes = fields
      .map((field) => [field, { old: before?.[field] ?? null, new: after?.[field] ?? null }] as const)
      .filter(([, change]) => !isSame(change.old, change.new));
    return { ...Object.fromEntries(changes), ...(passwordChanged ? { password: PASSWORD_CHANGED } : {}) };
  };
