import { Client } from 'pg';
import { memberRowOf } from '../../test-support/lists/member-rows.ts';
import { type Population, totalOf } from '../../test-support/lists/members.ts';
import { COPIED_USER_COLUMNS, copyTextRows } from '../../test-support/lists/tables.ts';
import { median, sum } from '../report/numbers.ts';

/** What a table or an index costs. */
export interface StorageCost {
  readonly name: string;
  readonly isIndex: boolean;
  /** The size of the table or index. */
  readonly bytes: number;
  /** The bytes of the write-ahead log that it adds to a new row. */
  readonly logBytesPerRow: number;
  /** The time that it adds to a new row. */
  readonly millisecondsPerRow: number;
}

interface Index {
  readonly name: string;
  readonly bytes: number;
  readonly drop: string;
}

interface Written {
  readonly logBytes: number;
  readonly milliseconds: number;
}

/** Selects the indexes of users, the smallest first, each with the statement that drops it. */
const INDEXES = `select indexrelid::regclass::text as name, pg_relation_size(indexrelid)::float8 as bytes,
    coalesce('alter table user_account drop constraint ' || quote_ident(conname) || ' cascade',
      'drop index ' || indexrelid::regclass) as drop
  from pg_index left join pg_constraint on conindid = indexrelid and contype in ('p', 'u')
  where indrelid = 'user_account'::regclass order by bytes, name`;

const TABLE_SIZE = `select pg_relation_size('user_account')::float8 as bytes`;

const EXPLAIN_INSERT = `explain (analyze, wal, timing off, format json)
  insert into user_account (${COPIED_USER_COLUMNS}) select ${COPIED_USER_COLUMNS} from new_member`;

interface ExplainedInsert {
  readonly 'QUERY PLAN': readonly {
    readonly Plan: { readonly 'WAL Bytes': number };
    readonly 'Execution Time': number;
  }[];
}

/** Inserts the rows of `new_member` while the table lacks some indexes, and rolls back. */
const writeWithout = async (client: Client, dropped: readonly Index[]): Promise<Written> => {
  await client.query('begin');
  try {
    // Without triggers: with any index, the check of the division costs the same.
    await client.query('set local session_replication_role = replica');
    for (const { drop } of dropped) await client.query(drop);
    const { rows } = await client.query<ExplainedInsert>(EXPLAIN_INSERT);
    const [insert] = rows[0]?.['QUERY PLAN'] ?? [];
    if (!insert) throw new Error('the insertion has no plan');
    return { logBytes: insert.Plan['WAL Bytes'], milliseconds: insert['Execution Time'] };
  } finally {
    await client.query('rollback');
  }
};

const measure = async (client: Client, count: number, rounds: number): Promise<readonly StorageCost[]> => {
  const { rows: indexes } = await client.query<Index>(INDEXES);
  const { rows: tables } = await client.query<{ readonly bytes: number }>(TABLE_SIZE);
  const entry = (name: string, bytes: number, isIndex: boolean, dropped: readonly Index[]) => {
    return { name, bytes, isIndex, dropped, written: [] as Written[] };
  };
  const entries = [
    ...tables.map(({ bytes }) => entry('rows without indexes', bytes, false, indexes)),
    ...indexes.map((index) => {
      const others = indexes.filter((other) => other !== index);
      return entry(index.name, index.bytes, true, others);
    }),
    entry('all indexes', sum(indexes.map(({ bytes }) => bytes)), false, []),
  ];
  for (let round = 0; round < rounds; round++) {
    let rowsAlone: Written = { logBytes: 0, milliseconds: 0 };
    for (const [at, { dropped, written }] of entries.entries()) {
      const { logBytes, milliseconds } = await writeWithout(client, dropped);
      written.push({ logBytes: logBytes - rowsAlone.logBytes, milliseconds: milliseconds - rowsAlone.milliseconds });
      if (at === 0) rowsAlone = { logBytes, milliseconds };
    }
  }
  return entries.map(({ name, bytes, isIndex, written }) => ({
    name,
    bytes,
    isIndex,
    logBytesPerRow: median(written.map(({ logBytes }) => logBytes)) / count,
    millisecondsPerRow: median(written.map(({ milliseconds }) => milliseconds)) / count,
  }));
};

/**
 * Measures what the table of users and each of its indexes cost in a filled database. `count` new members are inserted without
 * indexes, with one index at a time, and with all. An index costs the difference to the first. The results are medians of
 * `rounds`. The first one is the table, the last one all indexes.
 */
export const measureIndexCosts = async (
  url: string,
  population: Population,
  { count, rounds }: { readonly count: number; readonly rounds: number },
): Promise<readonly StorageCost[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create table new_member as select ${COPIED_USER_COLUMNS} from user_account with no data`);
    const first = totalOf(population);
    await copyTextRows(client, `new_member (${COPIED_USER_COLUMNS})`, count, (at) =>
      memberRowOf(population, first + at),
    );
    return await measure(client, count, rounds);
  } finally {
    await client.end();
  }
};
