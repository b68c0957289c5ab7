import { DomainError } from './errors.ts';
import type { CredentialStore } from './ports/credential-store.ts';
import type { PasswordHasher } from './ports/password-hasher.ts';
import type { PasswordHash, UserId } from './user.ts';

/**
 * Replaces the hash of a password that was just found to be right, if it is weaker than a new one. Where there is no room
 * for another hash now, the next login finds the weak one again.
 */
export const renewWeakHash = async (
  { credentials, hasher }: { credentials: CredentialStore; hasher: PasswordHasher },
  id: UserId,
  hash: PasswordHash,
  password: string,
): Promise<void> => {
  if (!hasher.isWeak(hash)) return;
  try {
    await credentials.renew(id, hash, await hasher.hash(password));
  } catch (error) {
    // The session has begun already, and stays.
    if (!(error instanceof DomainError)) throw error;
  }
};
