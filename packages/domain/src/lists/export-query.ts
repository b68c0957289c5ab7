import type { AuditedChange } from '../model/audit-entry.ts';
import { snakeCase } from '../model/snake-case.ts';
import type { ListQuery } from './list-query.ts';

/** A query of a whole list, which has no pages and no count. */
export type ExportQuery<Field extends string> = Pick<ListQuery<Field>, 'filters' | 'words' | 'searched' | 'order'>;

/**
 * Describes an export for an audit entry: the names of its filters as clients write them (`birthdate__gte`), with `search`
 * if it searches. Contains no values, because these may be personal.
 */
export const exportedWith = ({ filters, words }: ExportQuery<string>): Readonly<Record<string, AuditedChange>> => {
  const names = filters.map(({ field, operator }) => snakeCase(field) + (operator === 'eq' ? '' : `__${operator}`));
  return { filters: { old: null, new: words.length > 0 ? [...names, 'search'] : names } };
};
