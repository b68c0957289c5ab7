import { parseUuid } from '@chapter/domain';

/**
 * Returns the pattern of a path with the ids of the sent path that are UUIDs. Anything else that a client put into a path may
 * be a secret in the wrong place, and DEV logs the result.
 */
export const fillPattern = (pattern: string, sentPath: string | null): string => {
  const sent = sentPath?.split('/') ?? [];
  return pattern
    .split('/')
    .map((part, at) => (part.startsWith('{') ? (parseUuid(sent[at] ?? '') ?? part) : part))
    .join('/');
};
