import { type Division, divisionFields, divisionListFields, fieldsWith } from '@chapter/domain';
import { type List, listColumns } from '../lists/list.ts';
import { divisionIndexes } from '../schema/indexes.ts';
import { divisionMapping } from '../schema/mapping.ts';
import { DIVISION_COLUMNS, toDivision } from './division-rows.ts';

const columns = listColumns(divisionListFields, divisionMapping);

/** All divisions. */
export const divisionList: List<Division> = {
  name: 'divisions',
  table: 'division',
  indexes: divisionIndexes,
  isOfDivision: false,
  columns,
  defaultColumn: columns.name,
  search: { column: 'name_key', fields: fieldsWith(divisionFields, 'searched', true) },
  select: DIVISION_COLUMNS,
  hasHeader: false,
  advice: { filter: 'name', order: '`id` or `name`' },
  toItem: toDivision,
};
