import type { ListField } from '@chapter/domain';

/** What a list's conditions and orders are made of. */
export interface Columns<Field extends string> {
  readonly fields: Readonly<Record<Field, ListField>>;
  /** The column that each visible field is compared by. */
  readonly columns: Readonly<Record<Field, string>>;
  /** The columns of the index that has the order which begins with a field, within the scope. */
  readonly ordered: Readonly<Partial<Record<Field, readonly string[]>>>;
  /**
   * An index that has all that is read of a row, in the order which begins with a field. It is taken where a statement has its
   * condition, which every row meets.
   */
  readonly listed?: { readonly order: Field; readonly columns: readonly string[]; readonly condition: string };
  /** Fields of which no two rows have the same value, each with an index of its own. */
  readonly unique: readonly Field[];
  /** Fields that are the same in all rows of the scope. */
  readonly scoped: readonly Field[];
  /** A column that holds all of these fields, with an index of trigrams, and the scope as that index has it. */
  readonly search?: { readonly column: string; readonly fields: readonly Field[]; readonly scope: string };
  /** What the index of tokens is made of; see the functions of the database, `search_grams` and `member_tokens`. */
  readonly tokens?: {
    readonly expression: string;
    /** Whether the values of the scope are among the tokens. */
    readonly ofScope: boolean;
    /** The tokens of fields with few values. */
    readonly ofValue: Readonly<Partial<Record<Field, (value: string) => string>>>;
  };
}

/** A list in SQL. */
export interface List<
  Field extends string,
  Item,
  Row extends readonly unknown[],
  Head extends readonly unknown[] = readonly [],
> extends Columns<Field> {
  readonly name: string;
  /** What is read of a row. */
  readonly select: readonly string[];
  /** The table, by the name that the columns go by. */
  readonly table: string;
  readonly alias: string;
  /** What is the same for all rows and read once, of one row of another table; see `scope`. */
  readonly head?: { readonly select: readonly string[]; readonly table: string; readonly scope: string };
  /** The condition that limits the list, with a `?` for each value that the repository gives. */
  readonly scope: string;
  /** Makes items of what was read of each row, of all rows, and of the values of the scope. */
  readonly makeToItem: (head: Head, scope: readonly unknown[]) => (row: Row) => Item;
}
