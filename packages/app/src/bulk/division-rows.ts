import type { BulkDivision } from '@chapter/adapters-postgres';
import { checkFields, divisionChecks, type IdGenerator, missing } from '@chapter/domain';
import { idCell, unguarded } from './cells.ts';
import type { RowRules } from './row-rules.ts';

/** The rules of a file of divisions. Contract, section 10. */
export const divisionRows = (ids: IdGenerator): RowRules<BulkDivision> => ({
  columns: { required: ['name'], optional: ['id', 'logo', 'fanpage'] },
  check: ({ name, ...cells }) => {
    const sent = { ...cells, ...(name === undefined ? {} : { name: unguarded(name) }) };
    const { faults, values } = checkFields<BulkDivision>({ ...divisionChecks, id: idCell }, sent);
    const found = [...faults, ...missing(sent, ['name'])];
    return {
      faults: found,
      values: found.length > 0 ? values : { id: ids.next(), logo: null, fanpage: null, ...values },
    };
  },
});
