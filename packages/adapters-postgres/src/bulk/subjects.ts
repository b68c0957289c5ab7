import { divisionFields, type FieldColumns, userFields } from '@chapter/domain';
import { divisionMapping, fieldsOf, type StoredField, type StoredFields, userMapping } from '../schema/mapping.ts';
import type { BulkFile } from './bulk-load.ts';

/** A field of the rows of a file, with its column. */
export interface BulkField extends StoredField, FieldColumns {
  readonly field: string;
}

/** The fields and tables of the rows of a file. */
export interface Subject {
  /** The table that the rows are stored in. */
  readonly table: string;
  /** The temporary table that the rows are staged in. */
  readonly staged: string;
  readonly fields: readonly BulkField[];
  /** The field by which a row without an id is matched with a stored one. */
  readonly nameField: string;
}

const bulkField = (field: string, definition: FieldColumns, stored: StoredField): BulkField => ({
  field,
  ...definition,
  ...stored,
});

const joined = <Field extends string>(
  fields: Readonly<Record<Field, FieldColumns>>,
  mapping: StoredFields<Field>,
): readonly BulkField[] => fieldsOf(mapping).map((field) => bulkField(field, fields[field], mapping[field]));

/** Divisions and users, by the file that contains them. */
export const SUBJECTS = {
  divisions: {
    table: 'division',
    staged: 'bulk_division',
    fields: joined(divisionFields, divisionMapping),
    nameField: 'name',
  },
  users: {
    table: 'user_account',
    staged: 'bulk_user',
    fields: joined(userFields, userMapping),
    nameField: 'username',
  },
} as const satisfies Readonly<Record<BulkFile, Subject>>;
