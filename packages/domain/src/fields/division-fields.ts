import type { Division } from '../model/division.ts';
import {
  type FieldCheck,
  type FieldChecks,
  fault,
  makeDifferences,
  makeIsSame,
  type TextRule,
  text,
} from './field-check.ts';
import {
  ASSIGNED_ONCE,
  CHANGED_BY_CALLER,
  checksOf,
  defaultsOf,
  type FieldsWith,
  type FieldTable,
  fieldsWith,
  nameField,
  nullableTextField,
  plainField,
  type SentValues,
} from './field-table.ts';

/** Limits of a division's fields. See contract §4. */
export const divisionRules = {
  name: { min: 1, max: 150 },
  url: {
    min: 1,
    max: 2048,
    // RFC 3986: scheme, optional userinfo, host (a name or an address in brackets), port, path, query, fragment.
    pattern:
      /^https?:\/\/(?:[^\s/?#@[\]\\]*@)?(?:\[[0-9a-f:.]+\]|[^\s/?#@:[\]\\<>"^`{|}%]+)(?::\d{1,5})?(?:[/?#][^\s<>"^`{|}\\]*)?$/iu,
    patternDetail: 'must be an http or https URL',
  },
} as const satisfies Record<string, TextRule>;

const LARGEST_PORT = 65_535;

const parsePort = (address: string): number => Number(/^[^/]+\/\/[^/?#]*:(\d+)(?:[/?#]|$)/.exec(address)?.[1] ?? 0);

const notAUrl = fault('invalid_format', divisionRules.url.patternDetail);

const url: FieldCheck<string> = (input) => {
  const checked = text(divisionRules.url)(input);
  // For an empty string, "must be a URL" is more helpful than "too short".
  if ('fault' in checked) return checked.fault.code === 'too_short' ? notAUrl : checked;
  return parsePort(checked.value) > LARGEST_PORT ? notAUrl : checked;
};

/** All fields of a division, in the order in which lists show them. See contract §4. */
export const divisionFields = {
  id: { ...plainField('uuid'), check: null, ...ASSIGNED_ONCE },
  name: nameField(divisionRules.name),
  logo: { ...nullableTextField(divisionRules.url, url), default: null, ...CHANGED_BY_CALLER },
  fanpage: { ...nullableTextField(divisionRules.url, url), default: null, ...CHANGED_BY_CALLER },
} as const satisfies FieldTable<Division>;

type DivisionFields = typeof divisionFields;

/** All fields of a division except the revision, in the order of the table. */
export const DIVISION_FIELDS = Object.freeze(Object.keys(divisionFields) as (keyof DivisionFields)[]);

/** Fields of a division that the service assigns and callers may not send. */
export const DIVISION_READ_ONLY = fieldsWith(divisionFields, 'check', null);

/** Fields of a division that an update may change. */
export const CHANGEABLE_DIVISION_FIELDS = fieldsWith(divisionFields, 'changedBy', 'caller');

/** New values for some fields of a division; an absent key leaves the field unchanged. */
export type DivisionChanges = Partial<Pick<Division, FieldsWith<DivisionFields, 'changedBy', 'caller'>>>;

/** Checks of the fields that a creation or an update of a division may contain. */
export const divisionChecks: FieldChecks<SentValues<DivisionFields>> = checksOf(divisionFields, undefined);

/** Values of a new division for fields that were not sent. See contract §4. */
export const NEW_DIVISION_DEFAULTS = Object.freeze(defaultsOf(divisionFields));

/** Returns the audited changes of a division. Null is the state before creation or after deletion. */
export const divisionDifferences = makeDifferences<Division>(fieldsWith(divisionFields, 'audited', true));

/** Whether two states of a division are equal in every field, audited or not, apart from the revision. */
export const isSameDivision = makeIsSame<Division>(DIVISION_FIELDS);
