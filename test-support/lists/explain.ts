import { escapeLiteral, type Pool, type PoolClient } from 'pg';
import { runnerOn } from '../../packages/adapters-postgres/src/connection/runner.ts';
import type { Runner, Statement } from '../../packages/adapters-postgres/src/connection/statement.ts';
import type { Limits } from '../../packages/adapters-postgres/src/lists/plan.ts';
import { makeReadPage, onlyFrom } from '../../packages/adapters-postgres/src/lists/read-page.ts';
import { isDomainError } from '../../packages/domain/src/index.ts';
import type { PageKind } from './page-kinds.ts';

/** A node in the output of `explain (analyze, buffers, format json)`. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  /** Rows that an index-only scan had to look up in the table. */
  readonly 'Heap Fetches'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** A statement that ran, with its plan. */
export interface Explained {
  readonly statement: Statement;
  readonly plan: PlanNode;
}

/** Whether a plan is made for the given values or once for all values. A prepared statement may get either. */
export type PlanMode = 'force_custom_plan' | 'force_generic_plan';

const literal = (value: unknown): string => {
  if (value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return escapeLiteral(value);
  if (!Array.isArray(value)) throw new Error('a value of a list statement cannot be quoted');
  const quoted = value.map((one: unknown) => `"${String(one).replaceAll(/["\\]/g, String.raw`\$&`)}"`);
  return escapeLiteral(`{${quoted.join(',')}}`);
};

const explain = async (client: PoolClient, statement: Statement, values: readonly unknown[]) => {
  const execute = values.length > 0 ? `explained(${values.map(literal).join(', ')})` : 'explained';
  await client.query(`prepare explained as ${statement.text}`);
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>(
      `explain (analyze, buffers, costs off, timing off, summary off, format json) execute ${execute}`,
    );
    return rows[0]?.['QUERY PLAN'][0]?.Plan;
  } finally {
    await client.query('deallocate explained');
  }
};

/** Runs the statements of a page and explains each of them. */
export const explainPage = (
  pool: Pool,
  kind: PageKind,
  mode: PlanMode,
  limits?: Limits,
): Promise<readonly Explained[]> =>
  // The statements of a page that is refused for its cost are explained as well.
  explainStatements(pool, mode, (runner) =>
    kind.read(makeReadPage(onlyFrom(runner), limits)).catch((error: unknown) => {
      if (!isDomainError(error)) throw error;
    }),
  );

/** Runs the statements of `read` and explains each of them. */
export const explainStatements = async (
  pool: Pool,
  mode: PlanMode,
  read: (runner: Runner) => Promise<unknown>,
): Promise<readonly Explained[]> => {
  const runner = runnerOn(pool);
  const ran: { statement: Statement; values: readonly unknown[] }[] = [];
  const recording: Runner = {
    query: (statement, values) => {
      ran.push({ statement, values });
      return runner.query(statement, values);
    },
  };
  await read(recording);
  const client = await pool.connect();
  try {
    const explained: Explained[] = [];
    for (const { statement, values } of ran) {
      await client.query(`set plan_cache_mode = ${mode}`);
      const plan = await explain(client, statement, values);
      if (plan) explained.push({ statement, plan });
    }
    return explained;
  } finally {
    await client.query('reset plan_cache_mode');
    client.release();
  }
};

/** Returns all nodes of a plan. */
export const nodesOf = (plan: PlanNode): readonly PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
