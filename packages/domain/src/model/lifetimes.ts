/** Default lifetimes in seconds. See contract §6, §7, §9 and §11. */
export const LIFETIME_SECONDS = Object.freeze({
  accessToken: 15 * 60,
  refreshToken: 14 * 24 * 60 * 60,
  /** Since the login; a refresh does not extend it. */
  session: 90 * 24 * 60 * 60,
  passwordLink: 72 * 60 * 60,
  idempotencyKey: 24 * 60 * 60,
} as const);
