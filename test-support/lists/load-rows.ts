import type { BulkRow, Database } from '../../packages/adapters-postgres/src/index.ts';
import { type Division, OPERATOR, type User } from '../../packages/domain/src/index.ts';
import { asNewUser } from '../../packages/domain/src/testing/index.ts';

async function* rowsOf<T>(items: readonly T[]): AsyncGenerator<BulkRow<T>> {
  for (const [at, values] of items.entries()) yield { line: at + 2, complete: true, values };
}

/** Stores divisions and users in one load, which is much faster than one by one. */
export const loadRows = (
  { loadInBulk }: Pick<Database, 'loadInBulk'>,
  divisions: readonly Omit<Division, 'revision'>[],
  people: readonly User[],
): Promise<unknown> =>
  loadInBulk(OPERATOR, async (load) => {
    await load.stageDivisions(rowsOf(divisions));
    await load.stageUsers(rowsOf(people.map((person) => Object.assign(asNewUser(person), { passwordFollows: false }))));
    return (await load.plan()).store(() => {});
  });
