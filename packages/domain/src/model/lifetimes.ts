/**
 * How long something lives, in seconds, unless a service is set up otherwise: tokens from when they are issued, sessions
 * from the login on however often they are refreshed, password links from when they are created, idempotency keys from the creation. Contract, sections 6, 7, 9 and 11.
 */
export const LIFETIME_SECONDS = Object.freeze({
  accessToken: 15 * 60,
  refreshToken: 14 * 24 * 60 * 60,
  session: 90 * 24 * 60 * 60,
  passwordLink: 72 * 60 * 60,
  idempotencyKey: 24 * 60 * 60,
} as const);
