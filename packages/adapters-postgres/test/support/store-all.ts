import type { User } from '@chapter/domain/ports';
import { storeDivision } from '@chapter/domain/testing';
import { allUserColumns } from '../../src/users/user-rows.ts';
import type { PostgresWorld } from './use-world.ts';

/** Stores users as the service does, in one statement. Their divisions must be new. */
export const storeAll = async (world: PostgresWorld, people: readonly User[]): Promise<void> => {
  const known = new Map(people.map(({ division }) => [division.id, division]));
  for (const division of known.values()) {
    await storeDivision(world, { ...division, logo: null, fanpage: null, revision: '' });
  }
  const rows = people.map(allUserColumns);
  const columns = Object.keys(rows[0] ?? { id: '' }).join();
  await world.sql.query(
    `insert into user_account (${columns}) select ${columns} from json_populate_recordset(null::user_account, $1)`,
    [JSON.stringify(rows)],
  );
};
