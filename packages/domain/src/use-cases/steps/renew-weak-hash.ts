import { isDomainError } from '../../model/errors.ts';
import type { PasswordHash, UserId } from '../../model/user.ts';
import type { CredentialStore } from '../../ports/credential-store.ts';
import type { HashRequest, PasswordHasher } from '../../ports/password-hasher.ts';

/**
 * Replaces the hash of a password that was just verified, if it is weaker than a new one. If the hasher refuses, the next
 * login finds the weak hash again.
 */
export const renewWeakHash = async (
  { credentials, hasher }: { credentials: CredentialStore; hasher: PasswordHasher },
  id: UserId,
  hash: PasswordHash,
  password: string,
  request: HashRequest,
): Promise<void> => {
  if (!hasher.isWeak(hash)) return;
  try {
    await credentials.renew(id, hash, await hasher.hash(password, request));
  } catch (error) {
    // The session has already started and continues.
    if (!isDomainError(error)) throw error;
  }
};
