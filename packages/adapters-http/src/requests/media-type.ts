import { MIMEType } from 'node:util';

/** The media type of a body that is created or logged in with. Contract, section 1. */
export const JSON_TYPE = 'application/json';

/** The media type that a PATCH may have as well. RFC 7396. */
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';

// MIMEType takes time quadratic in the spaces of a parameter, so the length is bounded before it parses.
const MAX_CONTENT_TYPE_LENGTH = 255;

/**
 * The media type of a `Content-Type` in lower case, where its charset is UTF-8 or not named; else undefined, also for a
 * `Content-Type` of more than 255 characters.
 */
export const utf8MediaType = (contentType: string): string | undefined => {
  if (contentType === JSON_TYPE) return JSON_TYPE;
  if (contentType.length > MAX_CONTENT_TYPE_LENGTH) return undefined;
  try {
    const { essence, params } = new MIMEType(contentType);
    const charset = params.get('charset') ?? 'utf-8';
    return /^utf-?8$/i.test(charset) ? essence : undefined;
  } catch {
    return undefined;
  }
};
