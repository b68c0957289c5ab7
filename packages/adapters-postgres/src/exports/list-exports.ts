import {
  type Actor,
  type AuditAction,
  type Author,
  type DivisionId,
  type ExportQuery,
  exportedWith,
  type ListExport,
  type ListExports,
  MAX_EXPORTS,
  tooManyExports,
  unavailable,
} from '@chapter/domain';
import type { Client } from 'pg';
import { translateError } from '../connection/errors.ts';
import type { OpenTransaction } from '../connection/unpooled-clients.ts';
import { divisionList } from '../divisions/division-list.ts';
import type { List, ListScope } from '../lists/list.ts';
import { wholeList } from '../lists/whole-list.ts';
import { userList, userReferenceList } from '../users/user-rows.ts';
import { openCursor, readItems } from './export-rows.ts';
import { takeInstanceSlot } from './instance-slots.ts';
import type { RecordExport } from './record-export.ts';

/** Milliseconds that an export may take. See contract §11. */
const TIME_LIMIT_MS = 300_000;

/** Options of exports. */
export interface ListExportOptions {
  /** The same number in all processes of an instance, which share the limit of open exports. */
  readonly instanceKey?: number | undefined;
  readonly timeLimitMs?: number;
}

/** Makes the exports. Each has its own connection to the primary, not one of the pool. */
export const makeListExports = (
  openTransaction: OpenTransaction,
  record: RecordExport,
  { instanceKey, timeLimitMs = TIME_LIMIT_MS }: ListExportOptions = {},
): ListExports => {
  let openExports = 0;

  const open = async <
    Field extends string,
    Shown extends Field,
    Item,
    Row extends readonly unknown[],
    Scope extends ListScope,
    Header extends readonly unknown[],
  >(
    entry: { readonly author: Author; readonly action: AuditAction; readonly divisionId: DivisionId },
    list: List<Field, Item, Row, Scope, Header>,
    scope: NoInfer<Scope>,
    query: ExportQuery<Shown>,
    permit: (actor: Actor | null) => void,
  ): Promise<ListExport<Item>> => {
    if (openExports === MAX_EXPORTS) throw tooManyExports();
    openExports += 1;
    let client: Client | undefined;
    let ended: Error | undefined;
    const end = async (reason: Error): Promise<void> => {
      if (ended) return;
      ended = reason;
      clearTimeout(timer);
      openExports -= 1;
      // Also interrupts a statement that is running.
      await client?.end();
    };
    const timer = setTimeout(() => void end(new Error('the export took too long')), timeLimitMs).unref();
    /** Returns why the export failed: why it was ended, otherwise the error of its statement. */
    const causeOf = (error: unknown): unknown => (ended ? unavailable(ended) : translateError(error));
    const begin = async (): Promise<Client> => {
      client = await openTransaction('begin isolation level repeatable read, read only');
      client.once('end', () => void end(new Error('the connection was closed')));
      if (ended) await client.end();
      else if (instanceKey !== undefined && !(await takeInstanceSlot(client, instanceKey))) throw tooManyExports();
      await openCursor(client, wholeList(list, scope, query));
      const { author, action, divisionId } = entry;
      const changes = exportedWith(query);
      await record(author, { action, targetType: 'division', targetId: divisionId, divisionId, changes }, permit);
      return client;
    };
    const close = (): Promise<void> => end(new Error('the export was closed'));
    const fail = async (error: unknown): Promise<never> => {
      const cause = causeOf(error);
      await close();
      throw cause;
    };

    const opened = await begin().catch(fail);
    async function* read() {
      try {
        yield* readItems(opened, list, scope);
      } catch (error) {
        await fail(error);
      } finally {
        await close();
      }
    }
    return { batches: read(), close };
  };

  return {
    users: (author, divisionId, query, permit) =>
      open({ author, action: 'exportUsers', divisionId }, userList, { divisionId }, query, permit),
    references: (author, divisionId, query, permit) =>
      open({ author, action: 'exportDivisionUsers', divisionId }, userReferenceList, { divisionId }, query, permit),
    divisions: (author, divisionId, query, permit) =>
      open({ author, action: 'exportDivisions', divisionId }, divisionList, 'all', query, permit),
  };
};
