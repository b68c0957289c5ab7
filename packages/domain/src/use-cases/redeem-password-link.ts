import { missing, refuseFaults } from '../fields/field-check.ts';
import { makePasswordCheck } from '../fields/password.ts';
import { type FieldFault, invalidToken, isDomainError } from '../model/errors.ts';
import type { Origin, User } from '../model/user.ts';
import { can } from '../policy/authorize.ts';
import { asTarget } from '../policy/rules.ts';
import type { CommonPasswords } from '../ports/common-passwords.ts';
import type { LoginLimits } from '../ports/login-limits.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { OpenPasswordLink } from '../ports/password-links.ts';
import type { PasswordLinkPorts } from './create-password-link.ts';
import type { ReadInput, SentRequest } from './steps/changes.ts';
import { guessable } from './steps/guessable.ts';

/** What the redemption of a password link needs. */
export interface RedeemPorts extends PasswordLinkPorts {
  readonly hasher: PasswordHasher;
  readonly commonPasswords: CommonPasswords;
  readonly loginLimits: LoginLimits;
  /** Code points of a new password at least. */
  readonly passwordMinLength: number;
}

/** An inactive user's link works once they are active. The issuer's right is that of this moment. */
const requireRedeemable = (link: OpenPasswordLink | null): OpenPasswordLink => {
  if (!link?.user.isActive) throw invalidToken();
  const mayIssue = link.issuerId === null || can(link.issuer, 'createPasswordLink', asTarget(link.user));
  if (!mayIssue) throw invalidToken();
  return link;
};

/** Reported after the token is checked. */
const isLate = ({ code }: FieldFault): boolean => code === 'invalid_format';

/**
 * Checks a request in the order of the contract's section 11: shape and length at once; the other rules of passwords come
 * back as faults, because the token is checked before them.
 */
const makeCheckRedemption = (passwordMinLength: number) => {
  const checkPassword = makePasswordCheck(passwordMinLength);
  return ({ fields, faults = [] }: SentRequest) => {
    const isFaulty = (field: string) => faults.some((fault) => fault.field === field);
    const absent = missing(fields, ['token', 'password']).filter(({ field }) => !isFaulty(field));
    const { token, password } = fields;
    const checked = checkPassword(password ?? '');
    const found: readonly FieldFault[] = 'fault' in checked ? [{ field: 'password', ...checked.fault }] : [];
    const known = new Set([...faults, ...absent].map(({ field }) => field));
    const early = found.filter((fault) => !isLate(fault) && !known.has(fault.field));
    const noText: readonly FieldFault[] =
      typeof token === 'string' || known.has('token')
        ? []
        : [{ field: 'token', code: 'invalid_type', detail: 'must be a string' }];
    refuseFaults([...faults, ...absent, ...noText, ...early]);
    return { token: String(token), password: 'value' in checked ? checked.value : '', faults: found };
  };
};

/**
 * Sets the password of the user of a link, which ends their sessions. A refused token counts as a failed login of the
 * network; all refusals of a token look the same and take one look-up. Contract, section 11.
 *
 * @throws DomainError `rate_limited`, `validation_failed`, `invalid_token`, `unavailable`.
 */
export const makeRedeemPasswordLink = (ports: RedeemPorts) => {
  const { passwordLinks, refreshTokens, hasher, commonPasswords, loginLimits } = ports;
  const check = makeCheckRedemption(ports.passwordMinLength);
  const redeem = async ({ requestId, isAbandoned }: Origin, readInput: ReadInput<SentRequest>): Promise<void> => {
    const { token, password, faults } = check(await readInput());
    const requireStrong = ({ username, email }: User): void => {
      const weak = guessable(password, commonPasswords, [username, email]);
      refuseFaults(weak ? [{ field: 'password', ...weak }] : []);
    };
    const digest = refreshTokens.digestOf(token);
    const { user } = requireRedeemable(await passwordLinks.find(digest));
    refuseFaults(faults);
    requireStrong(user);
    const passwordHash = await hasher.hash(password, { isAbandoned });
    await passwordLinks.redeem(digest, requestId, (locked) => {
      requireStrong(requireRedeemable(locked).user);
      return passwordHash;
    });
  };
  return async (origin: Origin, readInput: ReadInput<SentRequest>): Promise<void> => {
    const attempt = await loginLimits.begin(null, origin.network ?? '');
    try {
      await redeem(origin, readInput);
    } catch (error) {
      const isRefusedToken = isDomainError(error) && error.code === 'invalid_token';
      if (!isRefusedToken) await attempt.withdraw();
      throw error;
    }
    await attempt.withdraw();
  };
};
