/**
 * Default lifetimes in seconds: of tokens since their issue, of sessions since the login however often they are
 * refreshed, of password links and of idempotency keys since the creation. See contract §6, §7, §9 and §11.
 */
export const LIFETIME_SECONDS = Object.freeze({
  accessToken: 15 * 60,
  refreshToken: 14 * 24 * 60 * 60,
  session: 90 * 24 * 60 * 60,
  passwordLink: 72 * 60 * 60,
  idempotencyKey: 24 * 60 * 60,
} as const);
