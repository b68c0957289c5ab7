import { escapeLiteral, type Pool, type PoolClient } from 'pg';
import { runnerOn } from '../../packages/adapters-postgres/src/connection/runner.ts';
import type { Runner, Statement } from '../../packages/adapters-postgres/src/connection/statement.ts';
import { makeListRows } from '../../packages/adapters-postgres/src/lists/list-rows.ts';
import type { Kind } from './kinds.ts';

/** A step of a plan, as `explain (analyze, buffers, format json)` tells of it. */
export interface Step {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  /** Rows that a scan of an index alone had to look for in the table all the same. */
  readonly 'Heap Fetches'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Step[];
}

/** A statement as it ran, with its plan. */
export interface Explained {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  readonly plan: Step;
  readonly text: string;
}

/** Whether a plan is made for the very values, or once for all of them. Of a prepared statement both must do. */
export type PlanMode = 'force_custom_plan' | 'force_generic_plan';

const literal = (value: unknown): string => {
  if (value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return escapeLiteral(value);
  if (!Array.isArray(value)) throw new Error('no statement of a list has such a value');
  const quoted = value.map((one: unknown) => `"${String(one).replaceAll(/["\\]/g, String.raw`\$&`)}"`);
  return escapeLiteral(`{${quoted.join(',')}}`);
};

const explain = async (client: PoolClient, statement: Statement, values: readonly unknown[], format: string) => {
  const execute = values.length > 0 ? `explained(${values.map(literal).join(', ')})` : 'explained';
  await client.query(`prepare explained as ${statement.text}`);
  try {
    const options = `analyze, buffers, costs off, timing off, summary off, format ${format}`;
    const { rows } = await client.query<{ 'QUERY PLAN': string & readonly { Plan: Step }[] }>(
      `explain (${options}) execute ${execute}`,
    );
    return rows.map((row) => row['QUERY PLAN']);
  } finally {
    await client.query('deallocate explained');
  }
};

/** The statements that a page of a kind takes, each run and explained. */
export const explainKind = async (pool: Pool, kind: Kind, mode: PlanMode): Promise<readonly Explained[]> => {
  const runner = runnerOn(pool);
  const ran: { statement: Statement; values: readonly unknown[] }[] = [];
  const recording: Runner = {
    query: (statement, values) => {
      ran.push({ statement, values });
      return runner.query(statement, values);
    },
  };
  await kind.ask(makeListRows(recording));
  const client = await pool.connect();
  try {
    const explained: Explained[] = [];
    for (const { statement, values } of ran) {
      // What has no name is planned for its values each time, whatever is set.
      await client.query(`set plan_cache_mode = ${statement.name === undefined ? 'force_custom_plan' : mode}`);
      const [json] = await explain(client, statement, values, 'json');
      const text = await explain(client, statement, values, 'text');
      const plan = json?.[0]?.Plan;
      if (plan) explained.push({ statement, values, plan, text: text.join('\n') });
    }
    return explained;
  } finally {
    await client.query('reset plan_cache_mode');
    client.release();
  }
};

/** All steps of a plan. */
export const stepsOf = (plan: Step): readonly Step[] => [plan, ...(plan.Plans ?? []).flatMap(stepsOf)];
