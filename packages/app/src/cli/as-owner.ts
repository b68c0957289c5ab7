import { OperatorError } from '../errors/operator-error.ts';

/**
 * Runs `work`, which needs the rights of the owner of the tables.
 *
 * @throws OperatorError if the database refuses it because its role lacks these rights.
 */
export const asOwner = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!/SQLSTATE 42501/.test(String(error))) throw error;
    throw new OperatorError('Only the owner of the tables may do this; set OWNER_DATABASE_URL.', error);
  }
};
