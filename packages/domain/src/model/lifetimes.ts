/**
 * Default lifetimes in seconds: of tokens since their issue, of sessions since the login however often they are
 * refreshed, and of idempotency keys since the creation. See contract §6, §7 and §9.
 */
export const LIFETIME_SECONDS = Object.freeze({
  accessToken: 15 * 60,
  refreshToken: 14 * 24 * 60 * 60,
  session: 90 * 24 * 60 * 60,
  idempotencyKey: 24 * 60 * 60,
} as const);
