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
import type { InTransaction } from '../connection/transaction.ts';
import { db } from '../schema/tables.ts';
import { passwordFingerprint } from './idempotency-key.ts';
import { lockActorAndTarget } from './lock.ts';
import { CREDENTIAL_COLUMNS, toCredentials, userSelection, usersWithDivision } from './user-rows.ts';

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
  db
    .with('renewed', (cte) =>
      cte
        .updateTable('user_account')
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

/** Finds a user by id, with the password hash. */
export const findCredentials = async (runner: Runner, id: UserId): Promise<Credentials | null> => {
  const [row] = parseUuid(id) === undefined ? [] : await BY_ID.run(runner, { id });
  return row ? toCredentials(row) : null;
};

/** Makes the store of password hashes, which are in the rows of their users. */
export const makeCredentialStore = (runner: Runner, inTransaction: InTransaction): CredentialStore => ({
  findByUsername: async (username) => {
    // PostgreSQL rejects some invisible characters, such as NUL.
    if (!isVisibleText(username)) return null;
    const [row] = await BY_USERNAME.run(runner, { key: foldCase(username) });
    return row ? toCredentials(row) : null;
  },
  find: (id) => findCredentials(runner, id),
  renew: (id, from, to) =>
    inTransaction([id, id], async (tx) => {
      // Separate from the statement that renews, so that it sees a link that was created while this one waited.
      await lockActorAndTarget(tx, null, id);
      RENEW.send(tx, { id, from, to });
    }),
});
