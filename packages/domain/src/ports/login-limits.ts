/** An attempt that was let through and counts as failed until it succeeds. */
export interface LoginAttempt {
  /** Takes the attempt back, and clears what this username failed from this network. */
  succeeded(): Promise<void>;
}

/** Slows guessing down. Shared by all instances; exact under concurrent attempts, which count as they begin. Contract, section 6. */
export interface LoginLimits {
  /**
   * Counts an attempt. `username` is folded; `network` is the client's network in text.
   *
   * @throws DomainError `rate_limited` past a limit, with the seconds until it is over.
   */
  begin(username: string, network: string): Promise<LoginAttempt>;
}
