import { isDomainError } from '@chapter/domain';
import type { Runner } from './statement.ts';

/**
 * Reads from the replicas in turn, and from the primary if the chosen replica is unavailable. A statement that exceeds its time
 * limit counts as unavailable too, because a server that hangs looks the same. So it runs once more, on the primary.
 */
export const makeReplicas = (replicas: readonly Runner[], primary: Runner): Runner => {
  let turn = 0;
  if (replicas.length === 0) return primary;
  return {
    query: async (statement, values) => {
      turn = (turn + 1) % replicas.length;
      try {
        return await (replicas[turn] ?? primary).query(statement, values);
      } catch (error) {
        if (isDomainError(error) && error.code === 'unavailable') return primary.query(statement, values);
        throw error;
      }
    },
  };
};
