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
import { columnsOf, makeReadFields } from './field-cells.ts';
import type { RowRules } from './row-rules.ts';

const readFields = makeReadFields(divisionFields);

const REQUIRED = ['name'];

/** The rules of a file of divisions. Contract §10. */
export const divisionRows = (ids: IdGenerator): RowRules<BulkDivision> => ({
  columns: { required: REQUIRED, optional: columnsOf(divisionFields).filter((column) => !REQUIRED.includes(column)) },
  check: (cells) => {
    const sent = readFields(cells);
    const { faults, values } = checkFields<BulkDivision>({ ...divisionChecks, id: idCell }, sent);
    const found = [...faults, ...missingFaults(sent, REQUIRED)];
    return {
      faults: found,
      values: found.length > 0 ? values : { id: ids.next(), ...NEW_DIVISION_DEFAULTS, ...values },
    };
  },
});
