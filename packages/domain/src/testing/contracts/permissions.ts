import { forbidden } from '../../model/errors.ts';
import { type Author, authorOf, type User } from '../../model/user.ts';

/** A permission for everything. */
export const allow = (): void => {};

/** Refuses everything. @throws DomainError `forbidden`. */
export const refuse = (): never => {
  throw forbidden('not allowed');
};

/** Returns a user as author. */
export const by = (user: User, requestId: string | null = null): Author => ({
  ...authorOf({ ...user, divisionId: null }),
  requestId,
});
