import type { PasswordHash, User, UserId } from '../model/user.ts';

/** A user with their password hash. */
export interface Credentials {
  readonly user: User;
  /** Null if the user cannot log in until a password is set. */
  readonly passwordHash: PasswordHash | null;
}

/** Finds users with their password hashes, and replaces weak hashes. */
export interface CredentialStore {
  /** Finds a user by login name, regardless of case; null if there is none. */
  findByUsername(username: string): Promise<Credentials | null>;

  /** Finds a user by id; null if there is none. */
  find(id: UserId): Promise<Credentials | null>;

  /**
   * Replaces a hash by a stronger one of the same password. This is not a change of the user: no audit entry, no new
   * revision, no end of sessions. Does nothing if the stored hash is no longer `from`.
   */
  renew(id: UserId, from: PasswordHash, to: PasswordHash): Promise<void>;
}
