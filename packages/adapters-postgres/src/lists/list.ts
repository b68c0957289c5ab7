import type { DivisionReference, ListField } from '@chapter/domain/ports';
import type { Index } from '../schema/indexes.ts';
import { fieldsOf, listColumn, type StoredFields } from '../schema/mapping.ts';

/** A field of a list, with the column by which it is compared and sorted. */
export interface ListColumn extends Pick<ListField, 'kind' | 'nullable'> {
  readonly name: string;
}

/** The table of a list, with the columns that a query can use and its indexes. */
export interface ListTable {
  readonly name: string;
  readonly table: 'user_account' | 'division';
  readonly indexes: readonly Index[];
  /**
   * Whether it lists the rows of one division only, with the indexes that start with the division. The use case takes
   * the division from the policy's scope of the caller, never from a query.
   */
  readonly isOfDivision: boolean;
  /** The columns of the fields that a query can use. */
  readonly columns: Readonly<Record<string, ListColumn>>;
  /** The column whose index is read if no index has the order. */
  readonly defaultColumn: ListColumn;
  /** The column with the texts of all searched fields. The `gin` index contains its trigrams. */
  readonly search: { readonly column: string; readonly fields: readonly string[] };
  /** The columns of an item. The first is `id`, which the header row and the limit row do not have. */
  readonly select: readonly string[];
  /** Whether the result starts with a header row, which contains the name of the division. */
  readonly hasHeader: boolean;
  /** Advice for a request that would read too many rows: a filter that few rows meet, and orders that have an index. */
  readonly advice: { readonly filter?: string; readonly order?: string };
}

/** A table with the function that converts its rows to items. */
export interface List<Item> extends ListTable {
  /** Converts a row with the columns of `select`. Only a list with a header row knows the name of the division. */
  toItem(row: readonly unknown[], division: DivisionReference): Item;
}

/** Returns the column by which a list compares each field. */
export const listColumns = <Field extends string>(
  fields: Readonly<Record<Field, ListField>>,
  mapping: StoredFields<Field>,
): Readonly<Record<Field, ListColumn>> => {
  const columns = fieldsOf(fields).map((field): [Field, ListColumn] => {
    const { kind, nullable } = fields[field];
    return [field, { name: listColumn(mapping[field]), kind, nullable }];
  });
  return Object.fromEntries(columns) as Record<Field, ListColumn>;
};

/** The column that has one value in a list of one division. The indexes of such a list start with it. */
export const DIVISION_COLUMN = 'division_id';

/** Returns whether the values of a column are unique. */
export const isUnique = ({ indexes }: ListTable, { name, nullable }: ListColumn): boolean =>
  !nullable && indexes.some((index) => index.isUnique && index.columns.join() === name);

/** An index whose entries within a list are in the order of `columns`. These exclude the division of the list. */
export interface OrderIndex {
  readonly index: Index;
  readonly columns: readonly string[];
}

/** Returns the indexes of a list whose entries are in the order of a column. */
export const orderIndexes = ({ indexes, isOfDivision }: ListTable, { name }: ListColumn): readonly OrderIndex[] => {
  const shared: readonly string[] = isOfDivision ? [DIVISION_COLUMN] : [];
  return indexes
    .filter(({ kind, columns }) => kind === 'btree' && shared.every((column, at) => columns[at] === column))
    .map((index) => ({ index, columns: index.columns.slice(shared.length) }))
    .filter(({ columns }) => columns[0] === name);
};

const hasAll =
  (columns: readonly string[]) =>
  (index: Index): boolean =>
    columns.every((column) => index.columns.includes(column) || index.include?.includes(column));

/**
 * What a scan reads. `index`: only entries, if the index has all columns of the conditions and the page. `index and page`: entries
 * and the rows of the page, if the index has all columns of the conditions. `rows`: the row of each entry.
 */
export type Reads = 'index' | 'index and page' | 'rows';

/**
 * Chooses the index with which a scan reads the fewest rows. `checked` are the columns that decide whether a row is on the page.
 * `shown` are the columns that the page shows. PostgreSQL is expected to choose the same one: statements name no index.
 */
export const chooseIndex = (
  candidates: readonly OrderIndex[],
  checked: readonly string[],
  shown: readonly string[],
): { readonly index: Index; readonly reads: Reads } | undefined => {
  const indexes = candidates.map(({ index }) => index);
  const whole = indexes.find(hasAll([...checked, ...shown]));
  if (whole) return { index: whole, reads: 'index' };
  // The partial index has the most columns and is the largest, so it is used only if it has all that are needed.
  const small = indexes.filter(({ condition }) => condition === undefined);
  const part = small.find(hasAll(checked));
  if (part) return { index: part, reads: 'index and page' };
  return small[0] && { index: small[0], reads: 'rows' };
};
