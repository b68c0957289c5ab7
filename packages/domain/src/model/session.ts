/** Identifier of a session: a UUID (version 7) in lower case. */
export type SessionId = string;

/** How many sessions a user has at most, and the code points of a user agent that a session keeps. Contract, section 11. */
export const SESSION_RULES = { maxPerUser: 100, maxUserAgentLength: 200 } as const;

/**
 * Returns what a session keeps of a `User-Agent` header: its first 200 code points, or null where it is absent or empty.
 * Control characters and lone surrogates become U+FFFD: databases refuse some of them, and terminals obey others.
 */
export const storedUserAgent = (sent: string | null | undefined): string | null => {
  const { maxUserAgentLength: length } = SESSION_RULES;
  // A code point has at most two units.
  const start = (sent ?? '').slice(0, 2 * length);
  return (
    Array.from(start)
      .slice(0, length)
      .join('')
      .toWellFormed()
      .replaceAll(/\p{Cc}/gu, '\uFFFD') || null
  );
};
