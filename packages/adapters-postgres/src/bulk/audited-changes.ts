import type { BulkField, Subject } from './subjects.ts';

/** Returns SQL for the JSON text of a value; null for a null value. */
const asJson = ({ kind }: BulkField, value: string): string => {
  const text = kind === 'instant' ? `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : value;
  return `to_json(${text})::text`;
};

/** Returns SQL for a JSON object of the changes that are not null. */
const jsonOf = (changes: readonly string[], passwordChanged: string): string => {
  const password = `case when ${passwordChanged} then '"password":{"old":null,"new":"changed"}' end`;
  return `('{' || concat_ws(',', ${[...changes, password].join(', ')}) || '}')::json`;
};

/**
 * Returns SQL for the audited changes of a new row in the columns of `after`, like `userDifferences(null, user)` of the
 * domain.
 */
export const creationChanges = ({ fields }: Subject, after: string, passwordChanged: string): string =>
  jsonOf(
    fields
      .filter(({ audited }) => audited)
      .map((field) => `'"${field.field}":{"old":null,"new":' || ${asJson(field, `${after}.${field.column}`)} || '}'`),
    passwordChanged,
  );
