import { type Division, type DivisionListField, divisionListFields } from '@chapter/domain';
import type { List } from '../lists/lists.ts';
import { type DivisionRow, divisionSelection, toDivision } from './division-rows.ts';

/** All divisions. */
export const divisionList: List<DivisionListField, Division, DivisionRow> = {
  name: 'divisions',
  fields: divisionListFields,
  columns: { id: 'd.id', name: 'd.name_key', logo: 'd.logo_key', fanpage: 'd.fanpage_key' },
  ordered: { id: ['d.id'], name: ['d.name_key'] },
  unique: ['id', 'name'],
  scoped: [],
  search: { column: 'd.name_key', fields: ['name'], scope: 'true' },
  tokens: { expression: 'search_grams(d.name_key)', ofScope: false, ofValue: {} },
  select: divisionSelection,
  table: 'division',
  alias: 'd',
  scope: 'true',
  makeToItem: () => toDivision,
};
