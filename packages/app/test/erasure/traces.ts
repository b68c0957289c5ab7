import { escapeIdentifier } from 'pg';
import { execute } from '../../../../test-support/processes.ts';
import { withClient } from '../../../../test-support/query.ts';

interface Column {
  readonly table_schema: string;
  readonly table_name: string;
  readonly column_name: string;
  readonly data_type: string;
}

// The statistics of the planner contain values of sampled rows.
const COLUMNS = `select table_schema, table_name, column_name, data_type
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'
  union all select 'pg_catalog', 'pg_stats', name, 'anyarray'
    from unnest(array['most_common_vals', 'histogram_bounds', 'most_common_elems']) name`;

const asText = ({ column_name, data_type }: Column): string => {
  const column = escapeIdentifier(column_name);
  return data_type === 'bytea' ? `encode(${column}, 'escape')` : `${column}::text`;
};

/** Finds values in every column of every table, ignoring case. Returns the columns that contain each value. */
export const findInColumns = (
  url: string,
  values: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> =>
  withClient(url, async (client) => {
    const found = new Map<string, string[]>(values.map((value) => [value, []]));
    for (const column of (await client.query<Column>(COLUMNS)).rows) {
      const { column_name, table_name, table_schema } = column;
      const { rows } = await client.query<{ value: string }>(
        `select value from unnest($1::text[]) value where exists (
           select from ${escapeIdentifier(table_schema)}.${escapeIdentifier(table_name)}
             where strpos(lower(${asText(column)}), lower(value)) > 0)`,
        [values],
      );
      for (const { value } of rows) found.get(value)?.push(`${table_name}.${column_name}`);
    }
    return found;
  });

/** Returns the output of pg_dump. */
export const dump = async (url: string): Promise<string> =>
  (await execute('pg_dump', [url], { maxBuffer: 2 ** 28 })).stdout;

/** Returns the values that a text contains, ignoring case. */
export const valuesIn = (all: string, values: readonly string[]): readonly string[] => {
  const folded = all.toLowerCase();
  return values.filter((value) => folded.includes(value.toLowerCase()));
};

/** Returns what the rows of a user store: every text and identifier, apart from ids that are meant to remain. */
export const storedTexts = (url: string, userId: string): Promise<readonly string[]> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ value: string }>(
      `select distinct cell.value as value from (
         select to_jsonb(u) - '{id,division_id,date_joined}'::text[] as row from user_account u where id = $1
         union all select to_jsonb(s) - '{user_id,started_at,expires_at,refreshed_at,position}'::text[]
           from session s where user_id = $1
         union all select to_jsonb(t) - '{session_id,spent_at,expires_at}'::text[]
           from refresh_token t join session s on s.id = t.session_id where s.user_id = $1
         union all select to_jsonb(l) - '{user_id,issuer_id,division_id,expires_at}'::text[]
           from password_link l where user_id = $1
       ) rows, jsonb_each_text(row) cell where jsonb_typeof(row -> cell.key) = 'string' and cell.value <> ''`,
      [userId],
    );
    return rows.map(({ value }) => value);
  });
