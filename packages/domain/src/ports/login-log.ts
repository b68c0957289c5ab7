import type { UserId } from '../model/user.ts';

/** How a login ended: `limited` past a limit, `unavailable` where the service could not decide. */
export type LoginOutcome = 'succeeded' | 'refused' | 'limited' | 'unavailable';

/** One login, without the name that was typed: people type passwords there by mistake. */
export interface LoggedLogin {
  readonly outcome: LoginOutcome;
  /** The user whose name was given; null where no user has it, or where the name was not looked up. */
  readonly userId: UserId | null;
  /** The id under which the request is logged, or null outside of a request. */
  readonly requestId: string | null;
}

/** Where every login is logged. Contract, section 6. */
export interface LoginLog {
  write(login: LoggedLogin): void;
}
