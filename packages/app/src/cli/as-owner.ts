import { OperatorError } from '../errors/operator-error.ts';

/**
 * Runs work for which only the owner of the tables has the rights.
 *
 * @throws OperatorError if the database refuses it because the role lacks them.
 */
export const asOwner = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!/SQLSTATE 42501/.test(String(error))) throw error;
    throw new OperatorError('Only the owner of the tables may do this; set OWNER_DATABASE_URL.', error);
  }
};
