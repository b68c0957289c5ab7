import type { Division } from '@chapter/domain';
import type { Selectable } from 'kysely';
import type { Row } from '../connection/statement.ts';
import type { Tables } from '../schema/tables.ts';

/** The columns of a division that are read: a {@link DivisionRow}. */
export const DIVISION_COLUMNS = ['id', 'name', 'logo', 'fanpage', 'version'] as const;

/** A division as {@link DIVISION_COLUMNS} come from the database. */
export type DivisionRow = Row<Selectable<Tables['division']>, typeof DIVISION_COLUMNS>;

/** {@link DIVISION_COLUMNS} of `division as d`. */
export const divisionSelection = DIVISION_COLUMNS.map((column) => `d.${column}` as const);

/** Returns the division that a row holds. */
export const toDivision = ([id, name, logo, fanpage, version]: DivisionRow): Division => ({
  id,
  name,
  logo,
  fanpage,
  revision: String(version),
});
