import type { Author, PasswordHash, User, UserChange, UserRepository } from '@chapter/domain';

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
  users.update(author, id, ({ user }): UserChange => {
    const password = passwordHash === undefined ? {} : { passwordHash };
    return { user: { ...user, ...values }, ...password, endsSessions: passwordHash !== undefined };
  });
