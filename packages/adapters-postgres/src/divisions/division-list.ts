import { type Division, type DivisionListField, divisionFields, divisionListFields, fieldsWith } from '@chapter/domain';
import type { List } from '../lists/list.ts';
import { divisionMapping } from '../schema/division-mapping.ts';
import { divisionIndexes } from '../schema/indexes.ts';
import { listColumns } from '../schema/mapping.ts';
import { DIVISION_COLUMNS, type DivisionRow, toDivision } from './division-rows.ts';

/** All divisions. */
export const divisionList: List<DivisionListField, Division, DivisionRow, 'all'> = {
  name: 'divisions',
  table: 'division',
  indexes: divisionIndexes,
  fields: divisionListFields,
  columns: listColumns(divisionMapping),
  defaultField: 'name',
  search: { column: 'name_key', fields: fieldsWith(divisionFields, 'searched', true) },
  select: DIVISION_COLUMNS,
  hasHeader: false,
  advice: { filter: 'name', order: '`id` or `name`' },
  makeToItem: () => toDivision,
};
