import type { Pool } from 'pg';
import { explainPage, nodesOf } from '../../test-support/lists/explain.ts';
import type { PageKind } from '../../test-support/lists/page-kinds.ts';
import { exceededLimits } from '../../test-support/lists/plan-limits.ts';

/** The plans of pages in some databases. */
export interface CheckedPlans {
  readonly pages: number;
  /** The exceeded limits, each with the page, the database and the mode. In Markdown. */
  readonly exceeded: readonly string[];
  /** The kinds of pages that read each index, each as its query and property in Markdown. */
  readonly readersOf: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Checks the custom and generic plans of pages against the limits. */
export const checkPlans = async (
  databases: readonly { readonly name: string; readonly pool: Pool; readonly kinds: readonly PageKind[] }[],
): Promise<CheckedPlans> => {
  const exceeded: string[] = [];
  const readersOf = new Map<string, Set<string>>();
  let pages = 0;
  for (const { name, pool, kinds } of databases) {
    for (const kind of kinds) {
      pages += 1;
      const title = `\`${kind.query}\`, ${kind.about}`;
      for (const mode of ['force_custom_plan', 'force_generic_plan'] as const) {
        const explained = await explainPage(pool, kind, mode);
        const found = exceededLimits(kind, explained);
        exceeded.push(...found.map((limit) => `${title}, ${name}, ${mode}: ${limit}`));
        for (const node of explained.flatMap(({ plan }) => nodesOf(plan))) {
          const index = node['Actual Loops'] > 0 ? node['Index Name'] : undefined;
          if (index === undefined) continue;
          const readers = readersOf.get(index) ?? new Set();
          readersOf.set(index, readers.add(title));
        }
      }
    }
  }
  return { pages, exceeded, readersOf };
};
