import type { BulkDivision } from '@chapter/adapters-postgres';
import {
  checkFields,
  divisionChecks,
  divisionFields,
  type IdGenerator,
  missingFaults,
  NEW_DIVISION_DEFAULTS,
} from '@chapter/domain';
import { idCell } from './cells.ts';
import { columnsKeepingEmpty, columnsOf, makeReadFields } from './field-cells.ts';
import type { CheckedRow, RowRules } from './row-rules.ts';

const readFields = makeReadFields(divisionFields);

const REQUIRED_DIVISION_COLUMNS = ['name'];

const OPTIONAL_DIVISION_COLUMNS = columnsOf(divisionFields).filter(
  (column) => !REQUIRED_DIVISION_COLUMNS.includes(column),
);

const DIVISION_KEYS = ['id', 'name'];

const checkSent = (sent: Readonly<Record<string, unknown>>, required: readonly string[]): CheckedRow<BulkDivision> => {
  const { faults, values } = checkFields<BulkDivision>({ ...divisionChecks, id: idCell }, sent);
  return { faults: [...faults, ...missingFaults(sent, required)], values };
};

/** Returns the columns and the row check of a divisions file whose rows are new. Contract §10. */
export const newDivisionRows = (ids: IdGenerator): RowRules<BulkDivision> => ({
  columns: { required: REQUIRED_DIVISION_COLUMNS, optional: OPTIONAL_DIVISION_COLUMNS },
  keepsEmpty: new Set(),
  check: (cells) => {
    const { faults, values } = checkSent(readFields(cells), REQUIRED_DIVISION_COLUMNS);
    if (faults.length > 0) return { faults, values };
    return { faults, values: { id: ids.next(), ...NEW_DIVISION_DEFAULTS, ...values } };
  },
});

/** Returns the columns and the row check of a divisions file whose rows may be stored already. Contract §10. */
export const divisionUpdateRows = (): RowRules<BulkDivision> => ({
  columns: {
    required: [],
    anyOf: DIVISION_KEYS,
    optional: OPTIONAL_DIVISION_COLUMNS.filter((column) => !DIVISION_KEYS.includes(column)),
  },
  keepsEmpty: new Set(columnsKeepingEmpty(divisionFields)),
  check: (cells) => {
    const sent = readFields(cells);
    return checkSent(sent, 'name' in sent ? [] : ['id']);
  },
});
