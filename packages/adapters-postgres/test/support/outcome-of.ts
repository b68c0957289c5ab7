import { query } from '../../../../test-support/query.ts';

/** SQLSTATE `insufficient_privilege`. */
export const REFUSED = '42501';

/** Runs SQL as the role of a URL. Returns `done` or the SQLSTATE of the refusal. */
export const outcomeOf = async (url: string, text: string): Promise<unknown> => {
  try {
    await query(url, text);
    return 'done';
  } catch (error) {
    return error instanceof Error ? Reflect.get(error, 'code') : error;
  }
};
