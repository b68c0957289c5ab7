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
  /** The page that sets a password, with username and token in the fragment. A relative reference if the page is one. */
  readonly url: string;
  /** The secret that the link contains. */
  readonly token: string;
  readonly expiresAt: Instant;
}

/** Ports of the creation and the redemption of a password link. */
export interface PasswordLinkPorts {
  readonly passwordLinks: PasswordLinks;
  readonly refreshTokens: RefreshTokens;
}

/** Ports of the creation of a password link. */
export interface NewLinkPorts extends PasswordLinkPorts {
  readonly users: UserRepository;
  /** Returns the address of the page on which users set a password by a link, without a fragment. */
  readonly passwordPage: () => string;
}

const SECONDS_PER_HOUR = 3600;

/** Hours for which a password link of the operator is valid. See contract §10. */
export const LINK_HOURS = Object.freeze({
  default: LIFETIME_SECONDS.passwordLink / SECONDS_PER_HOUR,
  max: 720,
} as const);

/**
 * Returns the URL of a link. Browsers send no fragment, so that no server logs the token. The token comes last, because programs
 * that find URLs in a text leave out a full stop at the end, with which a username may end. See contract §11.
 */
const linkUrl = (page: string, username: string, token: string): string =>
  `${page}#username=${encodeURIComponent(username)}&token=${token}`;

/**
 * Creates a link with which a user can set a password. It replaces an earlier link of the user. Only the operator chooses its
 * hours, and no rights of an issuer are checked when a link of the operator is redeemed. See contract §10 and §11.
 *
 * @throws DomainError like {@link authorize}; `unavailable`.
 */
export const makeCreatePasswordLink =
  ({ users, passwordLinks, passwordPage, refreshTokens }: NewLinkPorts) =>
  async (
    pending: PendingCaller,
    userId: UserId,
    readInput: ReadInput<{ readonly hours: number } | void>,
  ): Promise<PasswordLink> => {
    const [caller, found] = await callerAndTarget(pending, users.find(userId));
    const { username } = authorizedUser(caller, 'createPasswordLink', found);
    const sent = await readInput();
    const hours = isOperator(caller) && sent ? sent.hours : LINK_HOURS.default;
    const { token, digest } = refreshTokens.issue();
    const link = { userId, digest, lifetime: hours * SECONDS_PER_HOUR };
    const expiresAt = await passwordLinks.create(authorOf(caller), link, ({ actor, user }) =>
      authorize(presentCaller(caller, actor), 'createPasswordLink', asTarget(user)),
    );
    return { url: linkUrl(passwordPage(), username, token), token, expiresAt };
  };
