import type { FieldFault } from '@chapter/domain';
import type { KnownColumns } from '../csv/columns.ts';
import type { Cells } from './cells.ts';

/** The result of checking a row: its valid values and all its faults. */
export interface CheckedRow<T> {
  readonly values: Partial<T>;
  readonly faults: readonly FieldFault[];
  /** The normalized password to hash; only present if the row has no faults. */
  readonly password?: string;
}

/** The columns of a file. */
export interface FileColumns {
  readonly columns: KnownColumns;
  /** Columns in which an empty cell is a value. In other columns, it means the same as a missing column. */
  readonly keepsEmpty: ReadonlySet<string>;
}

/** The columns of a file and the check of its rows. */
export interface RowRules<T> extends FileColumns {
  readonly check: (cells: Cells) => CheckedRow<T>;
}
