import { type DomainErrorCode, isDomainError } from '../model/errors.ts';
import type { UserId } from '../model/user.ts';
import type { LoginLog, LoginOutcome } from '../ports/login-log.ts';
import { type AttemptPorts, attemptLogin, type LogIn } from './steps/attempt-login.ts';
import type { Session } from './steps/session.ts';

interface LogInPorts extends AttemptPorts {
  readonly loginLog: LoginLog;
}

const OUTCOMES: Partial<Record<DomainErrorCode, LoginOutcome>> = {
  invalid_credentials: 'refused',
  rate_limited: 'limited',
};

/**
 * Logs a user in. Writes every attempt to the login log with its outcome, and with the user if the username exists.
 *
 * @throws DomainError `invalid_credentials`, `rate_limited`, `unavailable`.
 */
export const makeLogIn =
  (ports: LogInPorts) =>
  async (sent: LogIn): Promise<Session> => {
    let userId: UserId | null = null;
    const log = (outcome: LoginOutcome): void =>
      ports.loginLog.write({ outcome, userId, requestId: sent.requestId ?? null });
    try {
      const session = await attemptLogin(ports, sent, (id) => {
        userId = id;
      });
      log('succeeded');
      return session;
    } catch (error) {
      log((isDomainError(error) && OUTCOMES[error.code]) || 'unavailable');
      throw error;
    }
  };
