import type { BulkConflict, BulkFile, ConflictReason } from '@chapter/adapters-postgres';

interface Context extends Omit<BulkConflict, 'line' | 'reason'> {
  readonly thing: 'user' | 'division';
  readonly updates: boolean;
}

const THINGS: Readonly<Record<BulkFile, Context['thing']>> = { divisions: 'division', users: 'user' };

const UNIQUE_NAME_FIELDS = new Set<string>(['username', 'name']);

const DETAILS: Readonly<Record<ConflictReason, (context: Context) => string>> = {
  repeated: ({ field, firstLine, updates, thing }) =>
    updates && field === 'id' ? `is that of the ${thing} in line ${firstLine}` : `is already used in line ${firstLine}`,
  taken: ({ field, updates, thing }) =>
    updates && UNIQUE_NAME_FIELDS.has(field)
      ? `belongs to a stored ${thing} with a different id`
      : `is already used by a stored ${thing}`,
  unknown: ({ field, thing }) =>
    field === 'divisionId'
      ? 'does not match a stored or imported division'
      : `does not match a stored ${thing}, and a new ${thing} needs a name`,
  required: ({ thing }) => `is required for a new ${thing}`,
  empty: ({ thing }) => `must not be empty for a stored ${thing}`,
};

/**
 * Describes a conflict, as the continuation of a sentence that starts with the field's name. `updates` tells whether the
 * import changes the stored rows that match.
 */
export const describeConflict = (kind: BulkFile, { reason, ...conflict }: BulkConflict, updates: boolean): string =>
  DETAILS[reason]({ ...conflict, thing: THINGS[kind], updates });
