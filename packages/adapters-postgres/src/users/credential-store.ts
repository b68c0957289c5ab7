import {
  type CredentialStore,
  type Credentials,
  foldCase,
  isVisibleText,
  type PasswordHash,
  parseUuid,
  type UserId,
} from '@chapter/domain/ports';
import { defineStatement, type Parameters, type Runner } from '../connection/statement.ts';
import type { RunnerFor } from '../connection/transaction.ts';
import { exclusiveLock, queued } from '../schema/advisory-locks.ts';
import { passwordFingerprint } from './idempotency-key.ts';
import { CREDENTIAL_COLUMNS, type CredentialRow, toUser, userSelection, usersWithDivision } from './user-rows.ts';

const CREDENTIALS = usersWithDivision.select(['u.password_hash', ...userSelection]);

const BY_USERNAME = defineStatement(
  'find-credentials-by-username',
  (value: Parameters<{ key: string }>) => CREDENTIALS.where('u.username_key', '=', value('key')),
  { columns: CREDENTIAL_COLUMNS },
);
const BY_ID = defineStatement(
  'find-credentials',
  (value: Parameters<{ id: UserId }>) => CREDENTIALS.where('u.id', '=', value('id')),
  { columns: CREDENTIAL_COLUMNS },
);
const RENEW = defineStatement('renew-hash', (value: Parameters<{ id: UserId; from: PasswordHash; to: PasswordHash }>) =>
  queued(exclusiveLock('user', value('id')))
    .with('renewed', (cte) =>
      cte
        .updateTable('user_account')
        .from('queued')
        .set({ password_hash: value('to') })
        .where('id', '=', value('id'))
        .where('password_hash', '=', value('from'))
        .returning('id'),
    )
    // The password is the same, so a link stays valid.
    .updateTable('password_link')
    .set({ password_fingerprint: passwordFingerprint(value('to')) })
    .where('user_id', 'in', (eb) => eb.selectFrom('renewed').select('id'))
    .where('password_fingerprint', '=', passwordFingerprint(value('from'))),
);

const toCredentials = ([row]: readonly CredentialRow[]): Credentials | null => {
  if (!row) return null;
  const [passwordHash, ...user] = row;
  return { user: toUser(user), passwordHash };
};

/** Makes the store of password hashes, which are in the rows of their users. */
export const makeCredentialStore = (runner: Runner, runnerFor: RunnerFor): CredentialStore => ({
  findByUsername: async (username) => {
    // PostgreSQL rejects some invisible characters, such as NUL.
    if (!isVisibleText(username)) return null;
    return toCredentials(await BY_USERNAME.run(runner, { key: foldCase(username) }));
  },
  find: async (id) => {
    if (parseUuid(id) === undefined) return null;
    return toCredentials(await BY_ID.run(runner, { id }));
  },
  renew: async (id, from, to) => {
    await RENEW.run(runnerFor([id, id]), { id, from, to });
  },
});
