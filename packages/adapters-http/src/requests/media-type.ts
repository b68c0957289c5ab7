import { MIMEType } from 'node:util';

/** The media type of a body that is created or logged in with. Contract, section 1. */
export const JSON_TYPE = 'application/json';

/** The media type that a PATCH may have as well. RFC 7396. */
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';

/** The media type of a `Content-Type` in lower case, where its charset is UTF-8 or not named; else undefined. */
export const utf8MediaType = (contentType: string): string | undefined => {
  if (contentType === JSON_TYPE) return JSON_TYPE;
  try {
    const { essence, params } = new MIMEType(contentType);
    const charset = params.get('charset') ?? 'utf-8';
    return /^utf-?8$/i.test(charset) ? essence : undefined;
  } catch {
    return undefined;
  }
};
