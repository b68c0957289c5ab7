import type { Client } from 'pg';
import type { BulkConflict, BulkFindings } from './bulk-load.ts';
import { conflictQuery } from './conflicts.ts';
import type { GivenColumns } from './match.ts';
import type { Subject } from './subjects.ts';

/**
 * Finds the conflicts on the first `maxLines` lines of a staged file that have any. `given` are the columns of the file, or
 * null if its rows have not been matched.
 *
 * @throws the database's own errors.
 */
export const findConflicts = async (
  client: Client,
  subject: Subject,
  given: GivenColumns | null,
  maxLines: number,
): Promise<BulkFindings> => {
  await client.query(`analyze ${subject.staged}`);
  await client.query(`drop table if exists bulk_conflict`);
  await client.query(`create temporary table bulk_conflict on commit drop as ${conflictQuery(subject, given)}`);
  const { rows: conflicts } = await client.query<BulkConflict>(
    `select line, field, reason, first_line as "firstLine" from bulk_conflict
      where line in (select distinct line from bulk_conflict order by line limit $1) order by line, field, first_line`,
    [maxLines],
  );
  const counted = await client.query<{ lines: number }>(
    `select count(*)::int as lines from
      (select line from bulk_conflict union select line from ${subject.staged} where not complete) bad`,
  );
  return { conflicts, badLines: counted.rows[0]?.lines ?? 0 };
};
