import type { AuditEntry } from '../../model/audit-entry.ts';
import type { Author } from '../../model/user.ts';
import { expectEqual } from './expect.ts';

/** Throws unless the entry has exactly these values; its id may be any UUID of version 7. */
export const expectEntry = (
  entry: AuditEntry | undefined,
  {
    author,
    ...expected
  }: Omit<AuditEntry, 'id' | 'authorId' | 'authorName' | 'requestId'> & { readonly author: Author },
): void => {
  const { userId: authorId, name: authorName, requestId } = author;
  const { id, ...written } = entry ?? { id: '' };
  expectEqual(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id), true, 'a UUID');
  expectEqual(written, { ...expected, authorId, authorName, requestId }, 'the entry');
};
