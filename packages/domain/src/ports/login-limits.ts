import { foldCase } from '../model/text.ts';
import type { Author, Instant, User, UserId } from '../model/user.ts';

/** Maximum failed attempts in a window, which starts with the first attempt. See contract §3 and §6. */
export const LOGIN_LIMITS = { ofSubject: 10, ofNetwork: 100, windowSeconds: 15 * 60 } as const;

/**
 * The subject whose attempts are counted together. For logins it is the folded username, whether or not such a user
 * exists. For checks of a current password it is the user, so that a new username does not reset the count.
 */
export type LoginSubject = { readonly username: string } | { readonly userId: UserId };

/** Returns the subjects whose attempts concern a user: logins with their name, and checks of their current password. */
export const loginSubjectsOf = ({ id, username }: Pick<User, 'id' | 'username'>): readonly LoginSubject[] => [
  { username: foldCase(username) },
  { userId: id },
];

/** An attempt that was allowed. It counts as failed unless it succeeds or is withdrawn. */
export interface LoginAttempt {
  /** Removes the attempt from the counts, and clears the failures of this subject from this network. */
  succeeded(): Promise<void>;

  /** Removes only this attempt from the counts, because no password was checked. */
  withdraw(): Promise<void>;
}

/** Limits password guessing. Shared by all instances. Exact under concurrency, because attempts count when they begin. */
export interface LoginLimits {
  /**
   * Counts an attempt of a subject from a network (as text). If the subject is null, counts it for the network alone.
   * An attempt that a limit refuses is not counted.
   *
   * @throws DomainError `rate_limited` if a limit is exceeded, with the seconds until the window ends.
   */
  begin(subject: LoginSubject | null, network: string): Promise<LoginAttempt>;

  /** Clears the failures of a user from a network. */
  clear(user: Pick<User, 'id' | 'username'>, network: string): Promise<void>;

  /** Returns until when a limit of the user refuses attempts from at least one network, or null if none does. */
  lockedUntil(user: Pick<User, 'id' | 'username'>): Promise<Instant | null>;

  /**
   * Clears the failures of a user from all networks, and writes the entry that `unlockedUser` returns. Returns how many
   * failures there were.
   *
   * @throws DomainError `not_found`.
   */
  unlock(author: Author, id: UserId): Promise<number>;
}

/** The outcome of a login. `limited`: a limit was exceeded. `unavailable`: the service could not decide. */
export type LoginOutcome = 'succeeded' | 'refused' | 'limited' | 'unavailable';

/** A login without the typed name, because people type passwords there by mistake. */
export interface LoggedLogin {
  readonly outcome: LoginOutcome;
  /** The user with the given name; null if there is none or the name was not looked up. */
  readonly userId: UserId | null;
  /** The id under which the request is logged, or null outside a request. */
  readonly requestId: string | null;
}

/** Logs every login. See contract §6. */
export interface LoginLog {
  /** Logs one login. */
  write(login: LoggedLogin): void;
}
