import type { Author, UserId } from '../../model/user.ts';
import type { PasswordLink, PasswordLinkPorts } from '../create-password-link.ts';

const SECONDS_PER_HOUR = 3600;

/** Hours for which a password link of the operator is valid. See contract §10. */
export const LINK_HOURS = Object.freeze({ default: 72, max: 720 } as const);

/**
 * Creates a password link for any user. It replaces an earlier link of the user. For the operator only. The link has no
 * issuer whose rights are checked when it is redeemed.
 *
 * @throws DomainError `not_found`.
 */
export const makeLinkUser =
  ({ passwordLinks, refreshTokens }: PasswordLinkPorts) =>
  async (author: Author, userId: UserId, hours: number = LINK_HOURS.default): Promise<PasswordLink> => {
    const { token, digest } = refreshTokens.issue();
    const lifetime = hours * SECONDS_PER_HOUR;
    return { token, expiresAt: await passwordLinks.create(author, { userId, digest, lifetime }, () => {}) };
  };
