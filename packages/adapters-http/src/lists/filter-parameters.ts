import {
  type Checked,
  type FieldKind,
  type Filter,
  fault,
  type ListField,
  type ListValue,
  listRules,
  type Operator,
  operatorsOf,
} from '@chapter/domain';
import { type TSchema, Type } from 'typebox';
import { toWireName } from '../errors/wire-names.ts';
import { GroupName } from '../schemas/fields.ts';
import type { ListParameter } from './list-parameter.ts';
import { readBoolean, readValue } from './values.ts';

const SCHEMAS: Readonly<Record<FieldKind, TSchema>> = {
  text: Type.String(),
  uuid: Type.String({ format: 'uuid' }),
  division: Type.String({ format: 'uuid' }),
  date: Type.String({ format: 'date' }),
  instant: Type.String({ format: 'date-time' }),
  boolean: Type.Boolean(),
  groups: GroupName,
};

const OPERATOR_DESCRIPTIONS: Readonly<Record<Operator, string>> = {
  eq: 'Equal to.',
  in: 'Any of these, separated by commas.',
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
  in: 'Has any of these groups, separated by commas.',
};

const readValues =
  (read: (value: string) => Checked<ListValue>) =>
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

const filterReader = <Field extends string>(
  field: Field,
  operator: Operator,
  kind: FieldKind,
): ((text: string) => Checked<Filter<Field>>) => {
  const asFilter =
    <T>(read: (text: string) => Checked<T>, make: (value: T) => Filter<Field>) =>
    (text: string): Checked<Filter<Field>> => {
      const checked = read(text);
      return 'fault' in checked ? checked : { value: make(checked.value) };
    };
  if (operator === 'in') return asFilter(readValues(readValue[kind]), (value) => ({ field, operator, value }));
  if (operator === 'isnull') return asFilter(readBoolean, (value) => ({ field, operator, value }));
  return asFilter(readValue[kind], (value) => ({ field, operator, value }));
};

/** Returns the filter parameters of a field: `FIELD`, and `FIELD__op` for each operator that applies to it. */
export const filterParameters = <Field extends string>(
  field: Field,
  listField: ListField,
): readonly ListParameter<Field>[] =>
  operatorsOf(listField).map((operator) => {
    const wire = toWireName(field);
    const read = filterReader(field, operator, listField.kind);
    const schema = operator === 'isnull' ? Type.Boolean() : SCHEMAS[listField.kind];
    return {
      name: operator === 'eq' ? wire : `${wire}__${operator}`,
      description: (listField.kind === 'groups' ? GROUP_OPERATOR_DESCRIPTIONS : OPERATOR_DESCRIPTIONS)[operator],
      schema: operator === 'in' ? Type.Array(schema, { minItems: 1, maxItems: listRules.maxValues }) : schema,
      isCommaSeparated: operator === 'in',
      read: (text) => {
        const checked = read(text);
        return 'fault' in checked ? checked : { value: { filter: checked.value } };
      },
    };
  });
