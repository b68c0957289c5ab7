import type { PasswordHash, User, UserId } from '../model/user.ts';

/** A user with what a password is checked against. */
export interface Credentials {
  readonly user: User;
  /** Null: nobody can log in as this user until a password is set. */
  readonly passwordHash: PasswordHash | null;
}

/** Where the hashes of passwords are read, apart from everything that is shown. */
export interface CredentialStore {
  /** By login name, without regard to case; null when nobody has it. */
  findByUsername(username: string): Promise<Credentials | null>;

  /** By id; null when nobody has it. */
  find(id: UserId): Promise<Credentials | null>;

  /**
   * Replaces a hash by a stronger one of the same password. No change of the user: no audit entry, no new revision,
   * no session ends. Does nothing when the stored hash is no longer `from`.
   */
  renew(id: UserId, from: PasswordHash, to: PasswordHash): Promise<void>;
}
