import type { SessionRepository, UserId } from '@chapter/domain';
import type { Transaction } from '../connection/transaction.ts';
import { END_ALL } from './own-session-statements.ts';

/** Ends the sessions of a user in this database, if the transaction commits. */
export const endStoredSessions = async (tx: Transaction, userId: UserId): Promise<void> => END_ALL.send(tx, { userId });

/** Ends the sessions of a user in an external store, as soon as the database has accepted what the transaction has sent. */
export const endExternalSessions =
  (sessions: () => SessionRepository) =>
  async (tx: Transaction, userId: UserId): Promise<void> => {
    await tx.query({ name: 'accepted', text: 'select' }, []);
    await sessions().endAll(userId);
  };
