import { type Scope, type Value, writeScope } from './conditions.ts';

/** For each attribute of a scope, the column of a table that contains it; null if no row has the attribute. */
export type ScopeColumns = Readonly<Record<string, string | null>>;

/** An SQL condition with the values of its parameters `$1`, `$2`. */
export interface SqlCondition {
  /** The condition, with the placeholders of the parameters. */
  readonly text: string;
  readonly parameters: readonly Value[];
}

/**
 * Converts a scope to a condition for the WHERE clause of PostgreSQL: `true`, `false` or comparisons of the columns,
 * such as `("u"."id" = $1 or "u"."division_id" = $2)`. Parameters are numbered from `firstParameter`, by default 1.
 *
 * @throws TypeError for a name that is not `column` or `table.column` of letters, digits and `_`. TypeError for an attribute that
 *   has no entry in `columns`, and for a value that is not a scope. RangeError for a `firstParameter` that is no positive integer.
 */
export const scopeToSql = (set: Scope, columns: ScopeColumns, firstParameter = 1): SqlCondition => {
  if (!Number.isInteger(firstParameter) || firstParameter < 1) {
    throw new RangeError('firstParameter must be a positive integer');
  }
  const names = new Map(Object.entries(columns).map(([attribute, name]) => [attribute, quoteColumn(name)]));
  const columnOf = (attribute: string): string | null => {
    const name = names.get(attribute);
    if (name !== undefined) return name;
    throw new TypeError(`columns has no ${JSON.stringify(attribute)}: name its column, or null if the table has none`);
  };
  const parameters: Value[] = [];
  const text = writeScope<string>(set, {
    all: 'true',
    none: 'false',
    equals: (attribute, value) => {
      const name = columnOf(attribute);
      if (name === null) return 'false';
      return value === null ? `${name} is null` : `${name} = $${firstParameter - 1 + parameters.push(value)}`;
    },
    and: (parts) => `(${parts.join(' and ')})`,
    or: (parts) => `(${parts.join(' or ')})`,
  });
  return { text, parameters };
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
