import type { User } from '@chapter/domain/ports';
import { loadRows } from '../../../../test-support/lists/load-rows.ts';
import type { PostgresWorld } from './use-world.ts';

/** Stores users and their divisions, which must be new. */
export const storeAll = ({ database }: PostgresWorld, people: readonly User[]): Promise<unknown> => {
  const divisions = new Map(people.map(({ division }) => [division.id, { ...division, logo: null, fanpage: null }]));
  return loadRows(database, [...divisions.values()], people);
};
