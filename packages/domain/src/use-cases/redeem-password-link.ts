import { anyString, checkFields, refuseFaults, type SentRequest } from '../fields/field-check.ts';
import { makePasswordCheck } from '../fields/password.ts';
import { DomainError, type FieldFault, invalidToken, isDomainError, unavailable } from '../model/errors.ts';
import type { Origin, User } from '../model/user.ts';
import { can } from '../policy/authorize.ts';
import { asTarget } from '../policy/targets.ts';
import type { CommonPasswords } from '../ports/common-passwords.ts';
import type { LoginLimits } from '../ports/login-limits.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { OpenPasswordLink } from '../ports/password-links.ts';
import { decideRedemption } from '../writes/user-writes.ts';
import type { PasswordLinkPorts } from './create-password-link.ts';
import type { ReadInput } from './steps/changes.ts';
import { guessableFault } from './steps/guessable.ts';

interface RedeemPorts extends PasswordLinkPorts {
  readonly hasher: PasswordHasher;
  readonly commonPasswords: CommonPasswords;
  readonly loginLimits: LoginLimits;
  /** Minimum length of new passwords in code points. */
  readonly passwordMinLength: number;
}

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
 * Returns a check of a request in the order of contract §11. The check throws for faults of shape and length. It returns
 * other faults of the password, because the token is checked before they are reported.
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
 * Sets the password of the user of a link, ends their sessions, and clears their failed logins from the network. A refused
 * token counts as a failed login from the network. All refusals of a token look the same and take one look-up. See contract
 * §6 and §11.
 *
 * @throws DomainError `rate_limited`, `validation_failed`, `invalid_token`, `unavailable`.
 */
export const makeRedeemPasswordLink = (ports: RedeemPorts) => {
  const { passwordLinks, refreshTokens, hasher, commonPasswords, loginLimits } = ports;
  const check = makeCheckRedemption(ports.passwordMinLength);
  const redeem = async (origin: Origin, readInput: ReadInput<SentRequest>): Promise<User> => {
    const { token, password, faults } = check(await readInput());
    const requireStrong = ({ username, email }: User): void => {
      const weak = guessableFault(password, commonPasswords, [username, email]);
      refuseFaults(weak ? [{ field: 'password', ...weak }] : []);
    };
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
    // The password is set and the link is used up, so an error would wrongly tell the client to try again. If one of these
    // fails, failures count until the window of the limit ends.
    await attempt.withdraw().catch(() => {});
    await loginLimits.clear(user, network).catch(() => {});
  };
};
