import { anyString, checkFields, refuseFaults, type SentRequest } from '../fields/field-check.ts';
import { makePasswordCheck } from '../fields/password.ts';
import { DomainError, type FieldFault, invalidToken, isDomainError, unavailable } from '../model/errors.ts';
import { LIFETIME_SECONDS } from '../model/lifetimes.ts';
import { authorOf, type Instant, isOperator, type Origin, type User, type UserId } from '../model/user.ts';
import { authorize, authorizedUser, can } from '../policy/authorize.ts';
import { asTarget } from '../policy/targets.ts';
import type { OpenPasswordLink } from '../ports/passwords.ts';
import { presentCaller } from '../writes/rules.ts';
import { decideRedemption } from '../writes/user-writes.ts';
import { callerAndTarget, type PendingCaller } from './steps/authenticate.ts';
import type { ReadInput } from './steps/changes.ts';
import { guessableFaults } from './steps/passwords.ts';
import type { Ports } from './steps/ports.ts';

/** A password link. Its token is shown once. */
export interface PasswordLink {
  /** The page that sets a password, with username and token in the fragment. A relative reference if the page is one. */
  readonly url: string;
  /** The secret that the link contains. */
  readonly token: string;
  readonly expiresAt: Instant;
}

const SECONDS_PER_HOUR = 3600;

/** Hours for which a password link of the operator is valid. See contract §10. */
export const LINK_HOURS = Object.freeze({
  default: LIFETIME_SECONDS.passwordLink / SECONDS_PER_HOUR,
  max: 720,
} as const);

/**
 * Returns the URL of a link. Browsers send no fragment, so that no server logs the token. The token comes last, because
 * programs that find URLs in a text leave out a full stop at the end, with which a username may end. See contract §11.
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
  ({
    users,
    passwordLinks,
    passwordPage,
    refreshTokens,
  }: Pick<Ports, 'users' | 'passwordLinks' | 'passwordPage' | 'refreshTokens'>) =>
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

type RedeemPorts = Pick<
  Ports,
  'passwordLinks' | 'refreshTokens' | 'hasher' | 'commonPasswords' | 'loginLimits' | 'passwordMinLength'
>;

/** Returns an open link of an active user whose issuer may still create it. @throws DomainError `invalid_token`. */
const requireRedeemable = (link: OpenPasswordLink | null): OpenPasswordLink => {
  if (!link?.user.isActive) throw invalidToken();
  const mayIssue = link.issuerId === null || can(link.issuer, 'createPasswordLink', asTarget(link.user));
  if (!mayIssue) throw invalidToken();
  return link;
};

/** The one response to all tokens that are refused: unknown, used, void or expired, or of an inactive or deleted user. */
const refusedLink = (): DomainError =>
  new DomainError('invalid_token', 'the password link is unknown, used, void or expired; ask for a new one');

/** Whether a fault is reported only after the token is checked. Of the two fields, only the password has a format. */
const isLate = ({ code }: FieldFault): boolean => code === 'invalid_format';

/**
 * Returns a check of a request in the order of contract §11. The check throws for faults of shape and length. It
 * returns other faults of the password, because the token is checked before they are reported.
 */
const makeCheckRedemption = (passwordMinLength: number) => {
  const checks = { token: anyString, password: makePasswordCheck(passwordMinLength) };
  return (sent: SentRequest) => {
    const { values, faults } = checkFields(checks, sent, { required: ['token', 'password'] });
    refuseFaults(faults.filter((fault) => !isLate(fault)));
    const { token = '', password = '' } = values;
    return { token, password, faults };
  };
};

/**
 * Sets the password of the user of a link, ends their sessions, and clears their failed logins from the network. A
 * refused token counts as a failed login from the network. All refusals of a token look the same and take one look-up.
 * See contract §6 and §11.
 *
 * @throws DomainError `rate_limited`, `validation_failed`, `invalid_token`, `unavailable`.
 */
export const makeRedeemPasswordLink = (ports: RedeemPorts) => {
  const { passwordLinks, refreshTokens, hasher, commonPasswords, loginLimits } = ports;
  const check = makeCheckRedemption(ports.passwordMinLength);
  const redeem = async (origin: Origin, readInput: ReadInput<SentRequest>): Promise<User> => {
    const { token, password, faults } = check(await readInput());
    const requireStrong = ({ username, email }: User): void =>
      refuseFaults(guessableFaults(password, commonPasswords, [username, email]));
    const { digest } = refreshTokens.digestsOf(token);
    const { user } = requireRedeemable(await passwordLinks.find(digest));
    refuseFaults(faults);
    requireStrong(user);
    const { requestId, network, isAbandoned, pause } = origin;
    const share = ['logins', network ?? '', user.id] as const;
    const passwordHash = await hasher.hash(password, { isAbandoned, pause, share });
    let redeemed = user;
    await passwordLinks.redeem(digest, requestId, (locked) => {
      // The client has the response that nothing was changed.
      if (isAbandoned?.()) throw unavailable();
      redeemed = requireRedeemable(locked).user;
      requireStrong(redeemed);
      return decideRedemption(redeemed, passwordHash);
    });
    return redeemed;
  };
  return async (origin: Origin, readInput: ReadInput<SentRequest>): Promise<void> => {
    const network = origin.network ?? '';
    const attempt = await loginLimits.begin(null, network);
    let user: User;
    try {
      user = await redeem(origin, readInput);
    } catch (error) {
      if (isDomainError(error) && error.code === 'invalid_token') throw refusedLink();
      await attempt.withdraw();
      throw error;
    }
    // The password is set and the link is used up, so an error would wrongly tell the client to try again. If one of
    // these fails, failures count until the window of the limit ends.
    await attempt.withdraw().catch(() => {});
    await loginLimits.clear(user, network).catch(() => {});
  };
};
