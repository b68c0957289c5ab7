import type { BulkConflict, BulkFile, ConflictReason } from '@chapter/adapters-postgres';

interface Context extends Omit<BulkConflict, 'line' | 'reason'> {
  readonly thing: 'user' | 'division';
  readonly isMatched: boolean;
}

const THINGS: Readonly<Record<BulkFile, Context['thing']>> = { divisions: 'division', users: 'user' };

const NAME_FIELDS = new Set<string>(['username', 'name']);

const DETAILS: Readonly<Record<ConflictReason, (context: Context) => string>> = {
  repeated: ({ field, firstLine, isMatched, thing }) =>
    isMatched && field === 'id'
      ? `is that of the ${thing} in line ${firstLine}`
      : `is already used in line ${firstLine}`,
  taken: ({ field, isMatched, thing }) =>
    isMatched && NAME_FIELDS.has(field)
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
 * Describes a conflict to the operator, to follow the name of its field. `isMatched` tells whether the rows of the file may
 * be stored already.
 */
export const describeConflict = (kind: BulkFile, { reason, ...conflict }: BulkConflict, isMatched: boolean): string =>
  DETAILS[reason]({ ...conflict, thing: THINGS[kind], isMatched });
