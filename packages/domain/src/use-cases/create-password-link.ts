import { LIFETIME_SECONDS } from '../model/lifetimes.ts';
import { authorOf, type Instant, isOperator, type UserId } from '../model/user.ts';
import { authorize, authorizedUser } from '../policy/authorize.ts';
import { asTarget } from '../policy/targets.ts';
import type { PasswordLinks } from '../ports/password-links.ts';
import type { RefreshTokens } from '../ports/refresh-tokens.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import { presentCaller } from '../writes/rules.ts';
import { callerAndTarget, type PendingCaller } from './steps/authenticate.ts';
import type { ReadInput } from './steps/changes.ts';

/** A password link. Its token is shown once. */
export interface PasswordLink {
  readonly token: string;
  readonly expiresAt: Instant;
}

/** Ports of the creation of a password link. */
export interface PasswordLinkPorts {
  readonly passwordLinks: PasswordLinks;
  readonly refreshTokens: RefreshTokens;
}

const SECONDS_PER_HOUR = 3600;

/** Hours for which a password link of the operator is valid. See contract §10. */
export const LINK_HOURS = Object.freeze({
  default: LIFETIME_SECONDS.passwordLink / SECONDS_PER_HOUR,
  max: 720,
} as const);

/**
 * Creates a link with which a user can set a password. It replaces an earlier link of the user. Only the operator chooses its
 * hours, and no rights of an issuer are checked when a link of the operator is redeemed. See contract §10 and §11.
 *
 * @throws DomainError like {@link authorize}; `unavailable`.
 */
export const makeCreatePasswordLink =
  ({ users, passwordLinks, refreshTokens }: PasswordLinkPorts & { users: UserRepository }) =>
  async (
    pending: PendingCaller,
    userId: UserId,
    readInput: ReadInput<{ readonly hours: number } | void>,
  ): Promise<PasswordLink> => {
    const [caller, found] = await callerAndTarget(pending, users.find(userId));
    authorizedUser(caller, 'createPasswordLink', found);
    const sent = await readInput();
    const hours = isOperator(caller) && sent ? sent.hours : LINK_HOURS.default;
    const { token, digest } = refreshTokens.issue();
    const link = { userId, digest, lifetime: hours * SECONDS_PER_HOUR };
    const expiresAt = await passwordLinks.create(authorOf(caller), link, ({ actor, user }) =>
      authorize(presentCaller(caller, actor), 'createPasswordLink', asTarget(user)),
    );
    return { token, expiresAt };
  };
