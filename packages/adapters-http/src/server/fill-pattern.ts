import { parseUuid } from '@chapter/domain';

/**
 * Replaces the placeholders of a path pattern with the UUIDs at their places in the sent path. Other text is not copied,
 * because it may be a secret that the client sent by mistake, and DEV logs the result.
 */
export const fillPattern = (pattern: string, sentPath: string | null): string => {
  const sent = sentPath?.split('/') ?? [];
  return pattern
    .split('/')
    .map((part, at) => (part.startsWith('{') ? (parseUuid(sent[at] ?? '') ?? part) : part))
    .join('/');
};
