import type { UserId } from '../model/user.ts';

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
