import { LIFETIME_SECONDS } from '../model/lifetimes.ts';
import { type Actor, authorOf, type Instant, type UserId } from '../model/user.ts';
import { authorize, authorizedUser } from '../policy/authorize.ts';
import { asTarget } from '../policy/rules.ts';
import type { PasswordLinks } from '../ports/password-links.ts';
import type { RefreshTokens } from '../ports/refresh-tokens.ts';
import type { UserRepository } from '../ports/user-repository.ts';
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

/**
 * Creates a link with which a user can set a password. It replaces an earlier link of the user. See contract §11.
 *
 * @throws DomainError like {@link authorize}; `unavailable`.
 */
export const makeCreatePasswordLink =
  ({ users, passwordLinks, refreshTokens }: PasswordLinkPorts & { users: UserRepository }) =>
  async (actor: Actor, userId: UserId, readInput: ReadInput<void>): Promise<PasswordLink> => {
    authorizedUser(actor, 'createPasswordLink', await users.find(userId));
    await readInput();
    const { token, digest } = refreshTokens.issue();
    const link = { userId, digest, lifetime: LIFETIME_SECONDS.passwordLink };
    const expiresAt = await passwordLinks.create(authorOf(actor), link, ({ actor: present, user }) =>
      authorize(present, 'createPasswordLink', asTarget(user)),
    );
    return { token, expiresAt };
  };
