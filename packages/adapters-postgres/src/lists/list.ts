import type { ListField } from '@chapter/domain';
import type { Index } from '../schema/indexes.ts';

/** What a list is limited to: the members of one division, or all rows. It comes from the use case, never from a query. */
export type ListScope = 'all' | { readonly divisionId: string };

/** A table as a list: the columns that a query can use, and the indexes that serve it. */
export interface ListTable<Field extends string> {
  readonly table: Index['table'];
  readonly indexes: readonly Index[];
  readonly fields: Readonly<Record<Field, ListField>>;
  /** The column by which each field is compared. */
  readonly columns: Readonly<Record<Field, string>>;
  /** The field along whose index rows are read when the order has no index. */
  readonly defaultField: Field;
  /** A column with the text of all these fields, of which the `gin` index has the trigrams. */
  readonly search: { readonly column: string; readonly fields: readonly Field[] };
  /** The columns that are read of a row. The first is `id`. */
  readonly select: readonly string[];
  /** Whether the result begins with a header row: the name of the division, which all its members share. */
  readonly hasHeader: boolean;
}

/** A list: a table, and how its rows become items. */
export interface List<
  Field extends string,
  Item,
  Row extends readonly unknown[],
  Header extends readonly unknown[] = readonly [],
> extends ListTable<Field> {
  readonly name: string;
  readonly makeToItem: (header: Header, scope: ListScope) => (row: Row) => Item;
}

/** The columns that all rows of a scope share, with which the indexes of the scope begin. */
const scopeColumns = (scope: ListScope): readonly string[] => (scope === 'all' ? [] : ['division_id']);

/** Whether all rows of the scope have the same value of a field. */
export const isFixed = <Field extends string>({ columns }: ListTable<Field>, scope: ListScope, field: Field): boolean =>
  scopeColumns(scope).includes(columns[field]);

/** Whether no two rows have the same value of a field. */
export const isUnique = <Field extends string>({ fields, columns, indexes }: ListTable<Field>, field: Field): boolean =>
  !fields[field].nullable && indexes.some((index) => index.isUnique && index.columns.join() === columns[field]);

/** An index of a list without the columns of the scope: its entries are in the order of `columns`. */
export interface OrderIndex {
  readonly index: Index;
  readonly columns: readonly string[];
}

/** Returns the indexes of a scope whose entries are in the order of a field. */
export const orderIndexes = <Field extends string>(
  { indexes, columns }: ListTable<Field>,
  scope: ListScope,
  field: Field,
): readonly OrderIndex[] => {
  const shared = scopeColumns(scope);
  return indexes
    .filter(({ kind, columns: all }) => kind === 'btree' && shared.every((column, at) => all[at] === column))
    .map((index) => ({ index, columns: index.columns.slice(shared.length) }))
    .filter((one) => one.columns[0] === columns[field]);
};

const hasAll =
  (columns: readonly string[]) =>
  (index: Index): boolean =>
    columns.every((column) => index.columns.includes(column) || index.include?.includes(column));

/** What a scan reads: the index alone, the index and the rows of the page, or each row that it passes. */
export type Reads = 'index' | 'index and page' | 'rows';

/**
 * Chooses the index with which a scan reads the fewest rows. `checked` are the columns that decide whether a row is on the page,
 * `shown` those that are read of a row that is.
 */
export const chooseIndex = (
  candidates: readonly OrderIndex[],
  checked: readonly string[],
  shown: readonly string[],
): { readonly index: Index; readonly reads: Reads } | undefined => {
  const indexes = candidates.map(({ index }) => index);
  const whole = indexes.find(hasAll([...checked, ...shown]));
  if (whole) return { index: whole, reads: 'index' };
  // An index with a condition is larger than the others, so it is worth reading only if it has everything.
  const small = indexes.filter(({ condition }) => condition === undefined);
  const part = small.find(hasAll(checked));
  if (part) return { index: part, reads: 'index and page' };
  return small[0] && { index: small[0], reads: 'rows' };
};
