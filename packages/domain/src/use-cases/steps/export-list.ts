import type { ListExport } from '../../ports/list-exports.ts';

/**
 * Opens an export that was authorized and whose query was read. A request that needs no rows, such as HEAD, does not call
 * it, so that nothing is recorded.
 *
 * @throws DomainError `unavailable`.
 */
export type OpenExport<Item> = () => Promise<ListExport<Item>>;
