import type { DivisionReference } from '../model/division.ts';
import { type FieldCheck, type FieldChecks, nullable, type TextRule, text } from './field-check.ts';

/** What a field holds, which decides its operators in lists and how it is compared. */
export type FieldKind = 'text' | 'uuid' | 'date' | 'instant' | 'boolean' | 'groups' | 'division';

/** The columns of a table of fields. {@link FieldDefinition} ties them to the type of the field's values. */
export interface FieldColumns {
  readonly kind: FieldKind;
  readonly nullable: boolean;
  /** Code points of a stored text at most; 0 where the field is no text. */
  readonly maxLength: number;
  /** Makes the check of a sent value; null where the field is read-only for every caller. */
  readonly check: ((context: never) => FieldCheck<unknown>) | null;
  /** The value of a new record for which none was sent; undefined where one must be sent or the service assigns it. */
  readonly default: unknown;
  /** Who may give an existing record another value: callers, only the operator, or no update at all. */
  readonly changedBy: 'caller' | 'operator' | 'none';
  /** Whether items of the list show the field. Only such a field can be filtered and ordered by. */
  readonly listed: boolean;
  /** Whether the list's search looks into it. */
  readonly searched: boolean;
  /** Whether the audit trail reports its old and new value. */
  readonly audited: boolean;
}

/** The columns of a field with values of type `T`; its check depends on a `Context`. A division is sent by its id. */
export interface FieldDefinition<T, Context> extends FieldColumns {
  readonly nullable: null extends T ? true : false;
  readonly check: ((context: Context) => FieldCheck<T extends DivisionReference ? DivisionReference['id'] : T>) | null;
  readonly default: T | undefined;
}

/** A definition of every field of a record but its revision. A table without one of them does not compile. */
export type FieldTable<T, Context = unknown> = {
  readonly [Field in Exclude<keyof T, 'revision'>]: FieldDefinition<T[Field], Context>;
};

/** The names of the fields with a value in a column. */
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

/** Lists the fields with a value in a column, in the order of the table. */
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

/** Returns the property of a new record that holds a field: a division is named by its id, as `divisionId`. */
export const newRecordKey = (field: string, { kind }: Pick<FieldColumns, 'kind'>): string =>
  kind === 'division' ? `${field}Id` : field;

/** Makes the checks of all fields that may be sent. */
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

/** Takes the defaults from a table; a field without one is left out. */
export const defaultsOf = <Table extends Readonly<Record<string, FieldColumns>>>(table: Table) => {
  const entries = Object.entries(table).flatMap(([field, column]) =>
    column.default === undefined ? [] : [[field, column.default]],
  );
  return Object.fromEntries(entries) as {
    readonly [Field in Exclude<keyof Table, FieldsWith<Table, 'default', undefined>>]: Table[Field]['default'];
  };
};

/** The columns of a text. */
export const textField = (rule: TextRule, check = text(rule)) =>
  ({ kind: 'text', nullable: false, maxLength: rule.max, searched: false, check: () => check }) as const;

/** The columns of a text that may be null. */
export const nullableTextField = (rule: TextRule, check = text(rule)) => {
  const nullableCheck = nullable(check);
  return { ...textField(rule, check), nullable: true, check: () => nullableCheck } as const;
};

/** The columns of a field that holds no text and is never null. */
export const plainField = <Kind extends Exclude<FieldKind, 'text'>>(kind: Kind) =>
  ({ kind, nullable: false, maxLength: 0, searched: false }) as const;

/** The columns of a field that callers may change. */
export const CHANGED_BY_CALLER = { changedBy: 'caller', listed: true, audited: true } as const;

/** The columns of a field that the service assigns once, whether callers may name its value or not. */
export const ASSIGNED_ONCE = { changedBy: 'none', default: undefined, listed: true, audited: false } as const;
