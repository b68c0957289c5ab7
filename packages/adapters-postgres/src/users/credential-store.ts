import {
  type CredentialStore,
  type Credentials,
  foldCase,
  isVisibleText,
  type PasswordHash,
  parseUuid,
} from '@chapter/domain';
import { exclusiveLock, queued } from '../connection/advisory-locks.ts';
import type { Runner } from '../connection/statement.ts';
import { toUser, USER_COLUMNS, USER_TABLES, type UserRow } from '../schema/rows.ts';

const BY_USERNAME = {
  name: 'find-credentials-by-username',
  text: `select u.password_hash, ${USER_COLUMNS.join(', ')} from ${USER_TABLES} where u.username_key = $1`,
};
const BY_ID = {
  name: 'find-credentials',
  text: `select u.password_hash, ${USER_COLUMNS.join(', ')} from ${USER_TABLES} where u.id = $1`,
};
const RENEW = {
  name: 'renew-hash',
  text: queued(
    [exclusiveLock('user', '$1')],
    'update user_account set password_hash = $3 from queued where id = $1 and password_hash = $2',
  ),
};

type CredentialRow = readonly [passwordHash: PasswordHash | null, ...UserRow];

const toCredentials = (row: CredentialRow | undefined): Credentials | null => {
  if (!row) return null;
  const [passwordHash, ...user] = row;
  return { user: toUser(user), passwordHash };
};

/** Hashes of passwords, in the rows of their users. */
export const makeCredentialStore = (runner: Runner): CredentialStore => ({
  findByUsername: async (username) => {
    // Some of what is not visible, no database takes as text.
    if (!isVisibleText(username)) return null;
    const [row] = await runner.query<CredentialRow>(BY_USERNAME, [foldCase(username)]);
    return toCredentials(row);
  },
  find: async (id) => {
    if (parseUuid(id) === undefined) return null;
    const [row] = await runner.query<CredentialRow>(BY_ID, [id]);
    return toCredentials(row);
  },
  renew: async (id, from, to) => {
    await runner.query(RENEW, [id, from, to]);
  },
});
