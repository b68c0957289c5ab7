import {
  type Checked,
  codePointLength,
  day,
  divisionRules,
  type FieldKind,
  type Filter,
  fault,
  foldCase,
  GROUPS,
  isGroup,
  isVisibleText,
  type ListField,
  type ListQuery,
  type ListValue,
  listRules,
  normalizationFault,
  type Operator,
  operatorsOf,
  parseInstant,
  uuid,
} from '@chapter/domain/api';
import { type TSchema, Type } from 'typebox';
import { toWireName } from '../errors/faults.ts';
import { GroupName } from '../schemas/fields.ts';

/** The part of a query that one parameter sets. `cursor` sets none, because decoding it needs all other parameters. */
export interface Contribution extends Partial<Pick<ListQuery<string>, 'size' | 'order' | 'words' | 'counted'>> {
  readonly filter?: Filter<string>;
  /** Whether the CSV is for spreadsheets (contract §11). */
  readonly spreadsheet?: boolean;
}

/** A parameter of a list: how to read its value and how to document it. */
export interface ListParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: TSchema;
  /** Whether its value is a list: separated by commas, or in repeated parameters. */
  readonly isList?: boolean;
  /** The responses that have it, if not all: pages, or the whole list as CSV. */
  readonly only?: 'pages' | 'csv';
  readonly read: (value: string) => Checked<Contribution>;
}

/** Returns a reader of a parameter that contributes what `contribute` makes of a value without fault. */
export const contributing =
  <T>(read: (text: string) => Checked<T>, contribute: (value: T) => Contribution) =>
  (text: string): Checked<Contribution> => {
    const checked = read(text);
    return 'fault' in checked ? checked : { value: contribute(checked.value) };
  };

/** Reads a whole number from 1 to `max`. */
export const readCount = (text: string, max: number): Checked<number> => {
  if (!/^-?\d+$/.test(text)) return fault('invalid_type', 'must be a whole number');
  const count = Number(text);
  return count >= 1 && count <= max ? { value: count } : fault('out_of_range', `must be from 1 to ${max}`);
};

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

type ReadValue = (sent: string) => Checked<ListValue>;

/** Filter values by field kind. Their readers return the form that the domain compares (contract §5). */
const FILTER_VALUES: Readonly<Record<FieldKind, { read: ReadValue; schema: TSchema }>> = {
  text: { read: readText, schema: Type.String() },
  uuid: { read: uuid, schema: Type.String({ format: 'uuid' }) },
  division: { read: uuid, schema: Type.String({ format: 'uuid' }) },
  date: { read: day, schema: Type.String({ format: 'date' }) },
  instant: { read: readInstant, schema: Type.String({ format: 'date-time' }) },
  boolean: { read: readBoolean, schema: Type.Boolean() },
  groups: { read: readGroup, schema: GroupName },
};

const OPERATOR_DESCRIPTIONS: Readonly<Record<Operator, string>> = {
  eq: 'Equal to.',
  in: 'Any of these, separated by commas or in repeated parameters. A value cannot contain a comma.',
  lt: 'Less than.',
  lte: 'At most.',
  gt: 'Greater than.',
  gte: 'At least.',
  icontains: 'Contains; case is ignored.',
  istartswith: 'Starts with; case is ignored.',
  isnull: '`true`: null; `false`: not null.',
};

const GROUP_OPERATOR_DESCRIPTIONS: Readonly<Record<Operator, string>> = {
  ...OPERATOR_DESCRIPTIONS,
  eq: 'Has this group.',
  in: 'Has any of these groups, separated by commas or in repeated parameters.',
};

const readValues =
  (read: ReadValue) =>
  (text: string): Checked<readonly ListValue[]> => {
    if (text === '') return fault('too_short', 'must have at least one value');
    const parts = text.split(',', listRules.maxValues + 1);
    if (parts.length > listRules.maxValues) return fault('too_long', `must have at most ${listRules.maxValues} values`);
    const values = new Set<ListValue>();
    for (const part of parts) {
      const checked = read(part);
      if ('fault' in checked) return checked;
      values.add(checked.value);
    }
    return { value: [...values] };
  };

const operandReader = (operator: Operator, kind: FieldKind): ((text: string) => Checked<Filter<string>['value']>) => {
  if (operator === 'in') return readValues(FILTER_VALUES[kind].read);
  return operator === 'isnull' ? readBoolean : FILTER_VALUES[kind].read;
};

/** Returns the filter parameters of a field: `FIELD`, and `FIELD__op` for each operator that applies to it. */
export const filterParameters = (field: string, listField: ListField): readonly ListParameter[] =>
  operatorsOf(listField).map((operator) => {
    const wire = toWireName(field);
    const schema = operator === 'isnull' ? Type.Boolean() : FILTER_VALUES[listField.kind].schema;
    return {
      name: operator === 'eq' ? wire : `${wire}__${operator}`,
      description: (listField.kind === 'groups' ? GROUP_OPERATOR_DESCRIPTIONS : OPERATOR_DESCRIPTIONS)[operator],
      schema: operator === 'in' ? Type.Array(schema, { minItems: 1, maxItems: listRules.maxValues }) : schema,
      isList: operator === 'in',
      // The value has the type that this operator needs.
      read: contributing(operandReader(operator, listField.kind), (value) => ({
        filter: { field, operator, value } as Filter<string>,
      })),
    };
  });
