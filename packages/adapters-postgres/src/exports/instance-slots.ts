import { MAX_EXPORTS } from '@chapter/domain';
import type { Client } from 'pg';

// The locks have two keys, the number of the instance and of the slot, so they never conflict with locks of one key.
const SLOTS = Array.from({ length: MAX_EXPORTS }, (_, slot) => `when pg_try_advisory_xact_lock($1, ${slot}) then true`);

/**
 * Takes one of the slots for exports that the processes of an instance share, until the transaction ends. Returns whether
 * one was free.
 */
export const takeInstanceSlot = async (client: Client, instanceKey: number): Promise<boolean> => {
  const { rows } = await client.query<{ taken: boolean }>(`select case ${SLOTS.join(' ')} else false end as taken`, [
    instanceKey,
  ]);
  return rows[0]?.taken === true;
};
