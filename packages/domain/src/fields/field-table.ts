import type { DivisionReference } from '../model/division.ts';
import { snakeCase } from '../model/text.ts';
import { parseUuid } from '../model/user.ts';
import { type FieldCheck, type FieldChecks, fault, nullable, type TextRule, text } from './field-check.ts';

/** The type of a field's values, which decides its operators in lists and how values compare. */
export type FieldKind = 'text' | 'uuid' | 'date' | 'instant' | 'boolean' | 'groups' | 'division';

/** The properties that a table of fields defines for each field: its columns. */
export interface FieldColumns {
  readonly kind: FieldKind;
  /** Whether the field may be null. */
  readonly nullable: boolean;
  /** Maximum code points of a stored text; 0 for other kinds. */
  readonly maxLength: number;
  /** Returns the check of a sent value; null if the field is read-only for every caller. */
  readonly check: ((context: never) => FieldCheck<unknown>) | null;
  /** Value in a new record if none was sent; undefined if the field is required or the service assigns it. */
  readonly default: unknown;
  /** Who may change the field of an existing record: callers, only the operator, or no one. */
  readonly changedBy: 'caller' | 'operator' | 'none';
  /** Whether list items show the field, so that filters and orders can use it. */
  readonly listed: boolean;
  /** Whether a search of the list includes the field. */
  readonly searched: boolean;
  /** Whether the audit trail records old and new values. */
  readonly audited: boolean;
}

/** The columns of a field with values of type `T`. The check of a division expects its id, because clients send the id. */
export interface FieldDefinition<T, Context> extends FieldColumns {
  readonly nullable: null extends T ? true : false;
  readonly check: ((context: Context) => FieldCheck<T extends DivisionReference ? DivisionReference['id'] : T>) | null;
  readonly default: T | undefined;
}

/** Definitions of all fields of a record except its revision. A table that lacks one does not compile. */
export type FieldTable<T, Context = unknown> = {
  readonly [Field in Exclude<keyof T, 'revision'>]: FieldDefinition<T[Field], Context>;
};

/** Names of the fields with a given value in a column. */
export type FieldsWith<Table, Column extends keyof FieldColumns, Value> = {
  [Field in keyof Table]: Table[Field] extends { readonly [_ in Column]: Value } ? Field : never;
}[keyof Table];

/** The fields that may be sent, with the types of their checked values. */
export type SentValues<Table> = {
  readonly [Field in Exclude<keyof Table, FieldsWith<Table, 'check', null>>]: Table[Field] extends {
    readonly check: (context: never) => FieldCheck<infer Value>;
  }
    ? Value
    : never;
};

/** Returns the fields with a given value in a column, in the order of the table. */
export const fieldsWith = <
  Table extends Readonly<Record<string, FieldColumns>>,
  Column extends keyof FieldColumns,
  const Value extends FieldColumns[Column],
>(
  table: Table,
  column: Column,
  value: Value,
): readonly FieldsWith<Table, Column, Value>[] => {
  const found = Object.entries(table).filter(([, columns]) => columns[column] === value);
  return Object.freeze(found.map(([field]) => field as FieldsWith<Table, Column, Value> & string));
};

/** Returns the property of a new record that holds a field: `divisionId` for a division, else the field itself. */
export const newRecordKey = (field: string, { kind }: Pick<FieldColumns, 'kind'>): string =>
  kind === 'division' ? `${field}Id` : field;

/** Returns the name of a field's column in CSV files: `division_id` for a division, else that of the API. */
export const fileColumn = (field: string, definition: Pick<FieldColumns, 'kind'>): string =>
  snakeCase(newRecordKey(field, definition));

/** Returns the checks of all fields that may be sent. */
export const checksOf = <
  Context,
  Table extends Readonly<Record<string, { readonly check: ((context: Context) => FieldCheck<unknown>) | null }>>,
>(
  table: Table,
  context: Context,
): FieldChecks<SentValues<Table>> => {
  const checks = Object.entries(table).flatMap(([field, { check }]) => (check ? [[field, check(context)]] : []));
  return Object.fromEntries(checks) as FieldChecks<SentValues<Table>>;
};

/** Returns the defaults of a table, without fields that have none. */
export const defaultsOf = <Table extends Readonly<Record<string, FieldColumns>>>(table: Table) => {
  const entries = Object.entries(table).flatMap(([field, column]) =>
    column.default === undefined ? [] : [[field, column.default]],
  );
  return Object.fromEntries(entries) as {
    readonly [Field in Exclude<keyof Table, FieldsWith<Table, 'default', undefined>>]: Table[Field]['default'];
  };
};

/** Columns of a text field. */
export const textField = (rule: TextRule, check = text(rule)) =>
  ({ kind: 'text', nullable: false, maxLength: rule.max, searched: false, check: () => check }) as const;

/** Columns of a nullable text field. */
export const nullableTextField = (rule: TextRule, check = text(rule)) => {
  const nullableCheck = nullable(check);
  return { ...textField(rule, check), nullable: true, check: () => nullableCheck } as const;
};

/** Columns of a field that is neither text nor nullable. */
export const plainField = <Kind extends Exclude<FieldKind, 'text'>>(kind: Kind) =>
  ({ kind, nullable: false, maxLength: 0, searched: false }) as const;

/** Columns of a field that callers may change. */
export const CHANGED_BY_CALLER = { changedBy: 'caller', listed: true, audited: true } as const;

/** Columns of a field that the service assigns once, even if callers may send its value. */
export const ASSIGNED_ONCE = { changedBy: 'none', default: undefined, listed: true, audited: false } as const;

/** Columns of the field that names a record. A name is no UUID, because commands accept a name or an id. Contract §10. */
export const nameField = (rule: TextRule) => {
  const checkText = text(rule);
  const check: FieldCheck<string> = (input) => {
    const checked = checkText(input);
    return 'value' in checked && parseUuid(checked.value) !== undefined
      ? fault('invalid_format', 'must not be a UUID, because a UUID is read as an id')
      : checked;
  };
  return { ...textField(rule, check), default: undefined, ...CHANGED_BY_CALLER, searched: true } as const;
};
