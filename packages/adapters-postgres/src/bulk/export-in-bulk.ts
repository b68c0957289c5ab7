import type { Readable } from 'node:stream';
import type { Author } from '@chapter/domain';
import type { BulkCounts, BulkFile } from './bulk-load.ts';

/** Consumes the bytes of one exported file and resolves after the last one. */
export type Sink = (bytes: Readable) => Promise<void>;

/**
 * Streams all divisions, all users or both as CSV (RFC 4180, UTF-8) with a header row, ordered by id, from one snapshot
 * of the database. Before the first byte it writes one audit entry. Returns the number of rows of each file.
 *
 * @throws DomainError `unavailable`; errors of a sink.
 */
export type ExportInBulk = (
  author: Author,
  sinks: Readonly<Partial<Record<BulkFile, Sink>>>,
  options: { readonly withHashes: boolean },
) => Promise<Partial<BulkCounts>>;
