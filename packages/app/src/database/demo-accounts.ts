import {
  type CredentialStore,
  normalizePassword,
  type PasswordHash,
  type PasswordHasher,
  type User,
} from '@chapter/domain/api';
import { DEMO_PASSWORD, DEMO_USERNAMES } from './demo-data.ts';

/** An account that can log in with the demo password. */
export interface DemoAccount {
  readonly username: string;
  /** The role for display, such as "Leader of North". */
  readonly role: string;
}

const roleOf = ({ division, groups, isStaff, isSuperuser }: User): string =>
  isSuperuser || isStaff ? 'Administrator' : `${groups[0] ?? 'member without a group'} of ${division.name}`;

/**
 * Returns the demo accounts that can log in with the demo password now. Omits accounts that were deleted or deactivated
 * or have a new password. Verifies each distinct hash once; after the first start, all accounts share one hash.
 *
 * @throws DomainError `unavailable`.
 */
export const findDemoAccounts = async ({
  credentials,
  hasher,
}: {
  readonly credentials: Pick<CredentialStore, 'findByUsername'>;
  readonly hasher: Pick<PasswordHasher, 'verify'>;
}): Promise<readonly DemoAccount[]> => {
  const verified = new Map<PasswordHash, boolean>();
  const hasDemoPassword = async (hash: PasswordHash): Promise<boolean> => {
    const matches = verified.get(hash) ?? (await hasher.verify(normalizePassword(DEMO_PASSWORD), hash));
    verified.set(hash, matches);
    return matches;
  };
  const accounts: DemoAccount[] = [];
  for (const name of DEMO_USERNAMES) {
    const found = await credentials.findByUsername(name);
    if (!found?.user.isActive || found.passwordHash === null || !(await hasDemoPassword(found.passwordHash))) continue;
    accounts.push({ username: found.user.username, role: roleOf(found.user) });
  }
  return accounts;
};
