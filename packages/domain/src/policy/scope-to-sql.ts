import type { Scope } from './rules.ts';

/** Columns of a table that contain ids of divisions and users; null if the table has no such column. */
export interface ScopeColumns {
  readonly divisionId: string | null;
  readonly userId: string | null;
}

/** An SQL condition with the values of its parameters `$1`, `$2`. */
export interface SqlCondition {
  readonly text: string;
  readonly parameters: readonly string[];
}

/**
 * Converts a scope to a condition for the WHERE clause of PostgreSQL: `true`, `false` or comparisons of the columns, such
 * as `("u"."division_id" = $1 or "u"."id" = $2)`. Parameters are numbered from `firstParameter`, by default 1.
 *
 * @throws TypeError for a name that is not `column` or `table.column` of letters, digits and `_`; RangeError for a
 *   `firstParameter` that is not a positive integer.
 */
export const scopeToSql = (set: Scope, columns: ScopeColumns, firstParameter = 1): SqlCondition => {
  if (!Number.isInteger(firstParameter) || firstParameter < 1) {
    throw new RangeError('firstParameter must be a positive integer');
  }
  const names = { divisionId: quoteColumn(columns.divisionId), userId: quoteColumn(columns.userId) };
  if (typeof set === 'string') return { text: String(set === 'all'), parameters: [] };
  const parts = (['divisionId', 'userId'] as const).flatMap((part) => {
    const [id, name] = [set[part], names[part]];
    return id === null || name === null ? [] : [{ id, name }];
  });
  const comparisons = parts.map(({ name }, at) => `${name} = $${firstParameter + at}`);
  const text = comparisons.length > 1 ? `(${comparisons.join(' or ')})` : (comparisons[0] ?? 'false');
  return { text, parameters: parts.map(({ id }) => id) };
};

/** PostgreSQL truncates names after 63 bytes. */
const COLUMN = /^(?:[a-z_][a-z0-9_]{0,62}\.)?[a-z_][a-z0-9_]{0,62}$/i;

const quoteColumn = (name: string | null): string | null => {
  if (name === null) return null;
  if (!COLUMN.test(name)) {
    throw new TypeError(`${JSON.stringify(name)} is not a column: use column or table.column of letters, digits and _`);
  }
  return name
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');
};
