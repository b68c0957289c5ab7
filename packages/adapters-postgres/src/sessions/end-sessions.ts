import type { SessionRepository, UserId } from '@chapter/domain';
import type { Transaction } from '../connection/transaction.ts';
import { END_ALL } from './own-session-statements.ts';

/** Ends the sessions that this database keeps of a user, if the transaction commits. */
export const endSessionsHere = async (tx: Transaction, userId: UserId): Promise<void> => END_ALL.send(tx, { userId });

/** Ends the sessions of a user in a store outside of the transaction, as soon as all that the transaction wrote is accepted. */
export const endSessionsElsewhere =
  (sessions: () => SessionRepository) =>
  async (tx: Transaction, userId: UserId): Promise<void> => {
    await tx.query({ name: 'accepted', text: 'select' }, []);
    await sessions().endAll(userId);
  };
