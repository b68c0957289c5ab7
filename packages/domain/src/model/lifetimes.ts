/** Default lifetimes in seconds. See contract §6, §7, §9 and §11. */
export const LIFETIME_SECONDS = Object.freeze({
  /** Of an access token, a JWT. */
  accessToken: 15 * 60,
  /** Of a refresh token, which a refresh replaces. */
  refreshToken: 14 * 24 * 60 * 60,
  /** Since the login; a refresh does not extend it. */
  session: 90 * 24 * 60 * 60,
  /** Of a password link, unless the operator chooses its hours. */
  passwordLink: 72 * 60 * 60,
  /** Of an idempotency key, during which a repeated creation has the same response. */
  idempotencyKey: 24 * 60 * 60,
} as const);
