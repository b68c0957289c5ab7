import type { FieldFault } from '@chapter/domain';
import type { KnownColumns } from '../csv/columns.ts';
import type { Cells } from './cells.ts';

/** What was made of a row: the values that are in order, and everything that is not. */
export interface CheckedRow<T> {
  readonly values: Partial<T>;
  readonly faults: readonly FieldFault[];
  /** A password that is still to be hashed, in its normal form; only where there is no fault. */
  readonly password?: string;
}

/** How the rows of a file are read. */
export interface RowRules<T> {
  readonly columns: KnownColumns;
  readonly check: (cells: Cells) => CheckedRow<T>;
}
