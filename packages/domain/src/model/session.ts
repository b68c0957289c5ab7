/** Identifier of a session: a UUID (version 7) in lower case. */
export type SessionId = string;

/** Maximum number of sessions per user, and maximum code points of a stored user agent. See contract §11. */
export const SESSION_RULES = { maxPerUser: 100, maxUserAgentLength: 200 } as const;

/**
 * Returns the part of a `User-Agent` header that a session stores: the first 200 code points, or null if absent or empty.
 * Replaces control characters and lone surrogates by U+FFFD: databases reject some, and terminals execute others.
 */
export const storedUserAgent = (sent: string | null | undefined): string | null => {
  const { maxUserAgentLength: length } = SESSION_RULES;
  // A code point has at most two UTF-16 units.
  const start = (sent ?? '').slice(0, 2 * length);
  return (
    Array.from(start)
      .slice(0, length)
      .join('')
      .toWellFormed()
      .replaceAll(/\p{Cc}/gu, '\uFFFD') || null
  );
};
