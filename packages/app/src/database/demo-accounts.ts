import {
  type CredentialStore,
  normalizePassword,
  type PasswordHash,
  type PasswordHasher,
  type User,
} from '@chapter/domain';
import { DEMO_PASSWORD, DEMO_USERNAMES } from './demo-data.ts';

/** An account that can log in with the demo password. */
export interface DemoAccount {
  readonly username: string;
  /** What the account is, in words: "Leader of North". */
  readonly role: string;
}

interface DemoAccountPorts {
  readonly credentials: Pick<CredentialStore, 'findByUsername'>;
  readonly hasher: Pick<PasswordHasher, 'verify'>;
}

const roleOf = ({ division, groups, isStaff, isSuperuser }: User): string =>
  isSuperuser || isStaff ? 'Administrator' : `${groups[0] ?? 'member without a group'} of ${division.name}`;

/**
 * Returns the demo accounts that can log in with the demo password now: not those that were deleted or deactivated, or
 * whose password was changed. Verifies each distinct hash once: after a first start, that is one.
 *
 * @throws DomainError `unavailable`.
 */
export const findDemoAccounts = async ({ credentials, hasher }: DemoAccountPorts): Promise<readonly DemoAccount[]> => {
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
