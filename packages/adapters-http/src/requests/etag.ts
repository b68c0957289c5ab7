import type { Revision } from '@chapter/domain';

// RFC 9110, section 8.8.3: entity-tag, with the comma or the end that follows it.
const TAG = /[ \t]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?:,|$)|[ \t]*,/y;

interface EntityTag {
  readonly weak: boolean;
  readonly opaque: string;
}

/** The entity tags of a list; null when it is malformed. */
const parseTags = (header: string): readonly EntityTag[] | null => {
  const tags: EntityTag[] = [];
  TAG.lastIndex = 0;
  while (TAG.lastIndex < header.length) {
    const match = TAG.exec(header);
    if (!match) return null;
    if (match[2] !== undefined) tags.push({ weak: match[1] !== undefined, opaque: match[2] });
  }
  return tags;
};

/** A revision as a strong entity tag. RFC 9110, section 8.8.3. */
export const entityTag = (revision: Revision): string => `"${revision}"`;

/**
 * The revisions that an `If-Match` lets through; undefined when any will do. Weak tags never match, and a malformed
 * list matches nothing, for a precondition that is not understood must not be passed over. RFC 9110, section 13.1.1.
 */
export const revisionsOf = (ifMatch: string | undefined): readonly Revision[] | undefined => {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  return (parseTags(ifMatch) ?? []).filter(({ weak }) => !weak).map(({ opaque }) => opaque);
};

/** Whether an `If-None-Match` names the tag, weakly compared: the caller has it already. RFC 9110, section 13.1.2. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return parseTags(ifNoneMatch)?.some(({ opaque }) => `"${opaque}"` === etag) ?? false;
};
