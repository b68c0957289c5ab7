import type { ListField } from '@chapter/domain';
import type { Index } from '../schema/indexes.ts';

/** The rows of one division. */
export interface DivisionScope {
  readonly divisionId: string;
}

/**
 * The rows that a list may show: all, or those of one division. The use case takes it from the policy's scope of the caller, never
 * from a query. The policy's other scopes need no list: the use case refuses `none`, and reads a single `userId` by its id.
 */
export type ListScope = 'all' | DivisionScope;

/** Parts of the advice for a request that would read too many rows. A part is absent if it does not apply to the list. */
interface Advice {
  /** The parameter of a filter that few rows meet. */
  readonly filter?: string;
  /** The orders that an index has. */
  readonly order?: string;
}

/** The table of a list, with the columns that a query can use and its indexes. */
export interface ListTable<Field extends string> {
  readonly table: Index['table'];
  readonly indexes: readonly Index[];
  readonly fields: Readonly<Record<Field, ListField>>;
  /** The column with which each field is compared and sorted. */
  readonly columns: Readonly<Record<Field, string>>;
  /** The field whose index is read if no index has the order. */
  readonly defaultField: Field;
  /** The column with the texts of all searched fields. The `gin` index contains its trigrams. */
  readonly search: { readonly column: string; readonly fields: readonly Field[] };
  /** The columns of an item. The first is `id`, which the header row and the limit row do not have. */
  readonly select: readonly string[];
  /** Whether the result starts with a header row, which contains the name of the division. Only for a {@link DivisionScope}. */
  readonly hasHeader: boolean;
  readonly advice: Advice;
}

/** A table with the scopes in which it is listed, and with the function that converts its rows to items. */
export interface List<
  Field extends string,
  Item,
  Row extends readonly unknown[],
  Scope extends ListScope,
  Header extends readonly unknown[] = readonly [],
> extends ListTable<Field> {
  readonly name: string;
  readonly makeToItem: (header: Header, scope: Scope) => (row: Row) => Item;
}

/** The column that has one value in a {@link DivisionScope}. The indexes of the scope start with it. */
export const SCOPE_COLUMN = 'division_id';

/** Returns whether the values of a field are unique. */
export const isUnique = <Field extends string>({ fields, columns, indexes }: ListTable<Field>, field: Field): boolean =>
  !fields[field].nullable && indexes.some((index) => index.isUnique && index.columns.join() === columns[field]);

/** An index whose entries within a scope are in the order of `columns`. These exclude the columns of the scope. */
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
  const shared: readonly string[] = scope === 'all' ? [] : [SCOPE_COLUMN];
  return indexes
    .filter(({ kind, columns: all }) => kind === 'btree' && shared.every((column, at) => all[at] === column))
    .map((index) => ({ index, columns: index.columns.slice(shared.length) }))
    .filter((one) => one.columns[0] === columns[field]);
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
