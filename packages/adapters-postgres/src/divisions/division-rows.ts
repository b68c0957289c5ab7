import { type Division, divisionFields, divisionListFields, fieldsWith } from '@chapter/domain/ports';
import type { Selectable } from 'kysely';
import type { Row } from '../connection/statement.ts';
import { type List, listColumns } from '../lists/list.ts';
import { divisionIndexes } from '../schema/indexes.ts';
import { divisionMapping } from '../schema/mapping.ts';
import type { Tables } from '../schema/tables.ts';

/** The columns from which a division is read, in the order of {@link DivisionRow}. */
export const DIVISION_COLUMNS = ['id', 'name', 'logo', 'fanpage', 'version'] as const;

/** A row with the {@link DIVISION_COLUMNS}. */
export type DivisionRow = Row<Selectable<Tables['division']>, typeof DIVISION_COLUMNS>;

/** The {@link DIVISION_COLUMNS} of `division as d`, for `select`. */
export const divisionSelection = DIVISION_COLUMNS.map((column) => `d.${column}` as const);

/** Converts a row to a division. */
export const toDivision = ([id, name, logo, fanpage, version]: DivisionRow): Division => ({
  id,
  name,
  logo,
  fanpage,
  revision: String(version),
});

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
