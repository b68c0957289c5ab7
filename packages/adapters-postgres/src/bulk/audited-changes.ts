import type { BulkField, Subject } from './subjects.ts';

/** A division with the name that it has after the load. */
const divisionReference = (id: string): string =>
  `json_build_object('id', ${id}, 'name', coalesce((select name from bulk_division b where b.id = ${id} limit 1),
    (select name from division d where d.id = ${id})))`;

const asJson = ({ kind }: BulkField, value: string): string => {
  if (kind === 'division') return `${divisionReference(value)}::text`;
  const text = kind === 'instant' ? `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : value;
  return `coalesce(to_json(${text})::text, 'null')`;
};

const changeIf = (condition: string, field: string, older: string, newer: string): string =>
  `case when ${condition} then '"${field}":{"old":' || ${older} || ',"new":' || ${newer} || '}' end`;

const jsonOf = (changes: readonly string[], passwordChanged: string): string => {
  const password = changeIf(passwordChanged, 'password', `'null'`, `'"changed"'`);
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
      .map((field) => {
        const value = `${after}.${field.column}`;
        return changeIf(`${value} is not null`, field.field, `'null'`, asJson(field, value));
      }),
    passwordChanged,
  );

/**
 * Returns SQL for the audited changes from the columns of `before` to those of `after`. Other than in the API, these can be
 * changes of any field but the id.
 */
export const updateChanges = ({ fields }: Subject, before: string, after: string, passwordChanged: string): string =>
  jsonOf(
    fields
      .filter(({ field }) => field !== 'id')
      .map((field) => {
        const [older, newer] = [`${before}.${field.column}`, `${after}.${field.column}`];
        const isChanged = `${older} is distinct from ${newer}`;
        return changeIf(isChanged, field.field, asJson(field, older), asJson(field, newer));
      }),
    passwordChanged,
  );
