import {
  type Checked,
  codePointLength,
  divisionRules,
  type FieldKind,
  fault,
  foldCase,
  GROUPS,
  isGroup,
  isVisibleText,
  type ListValue,
  normalizationFault,
  parseCalendarDate,
  parseInstant,
  parseUuid,
} from '@chapter/domain';

// No stored text is longer than the longest URL, so longer values cannot match.
const MAX_LENGTH = divisionRules.url.max;

const INSTANT_PARAMETER =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const readText = (sent: string): Checked<string> => {
  const unsafe = normalizationFault(sent, MAX_LENGTH);
  if (unsafe) return unsafe;
  const value = sent.normalize('NFC');
  if (!isVisibleText(value)) return fault('invalid_format', 'contains a control or invisible character');
  if (codePointLength(value) > MAX_LENGTH) return fault('too_long', `must have at most ${MAX_LENGTH} characters`);
  return { value: foldCase(value) };
};

const readUuid = (value: string): Checked<string> => {
  const id = parseUuid(value);
  return id === undefined ? fault('invalid_format', 'must be a UUID') : { value: id };
};

const readDate = (value: string): Checked<string> => {
  const date = parseCalendarDate(value);
  return date === undefined ? fault('invalid_format', 'must be a date that exists (YYYY-MM-DD)') : { value: date };
};

const readInstant = (value: string): Checked<string> => {
  const instant = parseInstant(value, INSTANT_PARAMETER);
  return instant === undefined
    ? fault('invalid_format', 'must be a date and time (YYYY-MM-DDTHH:MM:SS.sssZ)')
    : { value: instant };
};

/** Reads exactly `true` or `false`. */
export const readBoolean = (value: string): Checked<boolean> =>
  value === 'true' || value === 'false' ? { value: value === 'true' } : fault('invalid_type', 'must be true or false');

const readGroup = (value: string): Checked<string> =>
  isGroup(value) ? { value } : fault('invalid_format', `must be one of ${GROUPS.join(', ')}`);

/** Readers of filter values by field kind. They return the form that the domain compares (contract §5). */
export const readValue: Readonly<Record<FieldKind, (value: string) => Checked<ListValue>>> = {
  text: readText,
  uuid: readUuid,
  division: readUuid,
  date: readDate,
  instant: readInstant,
  boolean: readBoolean,
  groups: readGroup,
};
