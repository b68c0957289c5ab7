import { type Division, type DivisionListField, divisionFields, divisionListFields, fieldsWith } from '@chapter/domain';
import type { List } from '../lists/lists.ts';
import { divisionMapping } from '../schema/division-mapping.ts';
import { listColumns, orderIndexes, uniqueFields } from '../schema/mapping.ts';
import { type DivisionRow, divisionSelection, toDivision } from './division-rows.ts';

/** All divisions. */
export const divisionList: List<DivisionListField, Division, DivisionRow> = {
  name: 'divisions',
  fields: divisionListFields,
  columns: listColumns('d', divisionMapping),
  ordered: orderIndexes('d', divisionMapping),
  unique: uniqueFields(divisionMapping),
  scoped: [],
  search: { column: 'd.name_key', fields: fieldsWith(divisionFields, 'searched', true), scope: 'true' },
  tokens: { expression: 'search_grams(d.name_key)', ofScope: false, ofValue: {} },
  select: divisionSelection,
  table: 'division',
  alias: 'd',
  scope: 'true',
  makeToItem: () => toDivision,
};
