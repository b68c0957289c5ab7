import type { Author, PasswordHash, User, UserRepository } from '@chapter/domain/ports';
import { changeUser } from '@chapter/domain/testing';

/** Returns a user as the author of a change. */
export const by = ({ id, username }: User): Author => ({ userId: id, name: username, requestId: null });

/** Changes fields of a user. A hash also changes the password and ends the user's sessions. */
export const change = (
  { users }: { readonly users: UserRepository },
  author: Author,
  { id }: User,
  values: Partial<User>,
  passwordHash?: PasswordHash,
): Promise<User> =>
  changeUser({ users }, id, values, passwordHash === undefined ? { author } : { author, passwordHash });
