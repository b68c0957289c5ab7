import type { BulkField, Subject } from './subjects.ts';

/** A division with the name that it has after the load. */
const divisionReference = (id: string): string =>
  `json_build_object('id', ${id}, 'name', coalesce((select name from bulk_division b where b.id = ${id} limit 1),
    (select name from division d where d.id = ${id})))`;

/** Returns SQL for the JSON text of a value; null for a null value. */
const asJson = ({ kind }: BulkField, value: string): string => {
  if (kind === 'division') return `${divisionReference(value)}::text`;
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

/**
 * Returns SQL for the audited changes from the columns of `before` to those of `after`. Unlike the API, a load can change every
 * field except the id.
 */
export const updateChanges = ({ fields }: Subject, before: string, after: string, passwordChanged: string): string =>
  jsonOf(
    fields
      .filter(({ field }) => field !== 'id')
      .map((field) => {
        const [older, newer] = [`${before}.${field.column}`, `${after}.${field.column}`];
        const json = [older, newer].map((value) => `coalesce(${asJson(field, value)}, 'null')`);
        const change = `'"${field.field}":{"old":' || ${json.join(` || ',"new":' || `)} || '}'`;
        return `case when ${older} is distinct from ${newer} then ${change} end`;
      }),
    passwordChanged,
  );
