import { DIVISION_FIELDS } from '../fields/division-fields.ts';
import { USER_FIELDS } from '../fields/user-fields.ts';
import type { AuditEntry } from '../model/audit-entry.ts';
import type { DivisionId } from '../model/division.ts';
import { validationFailed } from '../model/errors.ts';
import type { Actor } from '../model/user.ts';
import { ownDivision } from '../policy/authorize.ts';
import type { ChangePage, ChangePosition, ChangeQuery, NamedAuditEntry } from '../ports/audit-log.ts';
import type { ReadInput } from './steps/changes.ts';
import type { Ports } from './steps/ports.ts';

/** What a Leader may read in the lists, besides what an entry says of a new password or of an export. */
const SHOWN: ReadonlySet<string> = new Set([...USER_FIELDS, ...DIVISION_FIELDS, 'password', 'filters']);

/**
 * Returns the changes of an entry that the Leaders of a division may read. Of a move, the Leaders of the old division see only
 * that the user left, and those of the new one only values after it. Sessions, counters and the like are not shown.
 */
const shownChanges = (
  { changes, divisionId, leftDivisionId }: AuditEntry,
  readerDivisionId: DivisionId,
): AuditEntry['changes'] => {
  const shown = Object.entries(changes).filter(([field]) => SHOWN.has(field));
  if (leftDivisionId === null) return Object.fromEntries(shown);
  if (leftDivisionId === readerDivisionId && divisionId !== readerDivisionId) {
    return { division: { old: changes['division']?.old ?? null, new: null } };
  }
  return Object.fromEntries(shown.map(([field, change]) => [field, { old: null, new: change.new }]));
};

/** Binds a position to a division, so that it is valid for no other one. */
const inDivision = (id: DivisionId, position: ChangePosition): ChangePosition => position && `${id} ${position}`;

const positionIn = (id: DivisionId, given: ChangePosition): ChangePosition | undefined => {
  if (given === '') return '';
  return given.startsWith(`${id} `) ? given.slice(id.length + 1) : undefined;
};

/**
 * Lists the changes of the caller's own division, newest first or as a feed. See contract §7.
 *
 * @throws DomainError like `authorize`; `validation_failed` for a position that does not belong to the history (any more).
 */
export const makeListChanges =
  ({ changes }: Pick<Ports, 'changes'>) =>
  async (actor: Actor, readInput: ReadInput<ChangeQuery>): Promise<ChangePage> => {
    const divisionId = ownDivision(actor, 'listChanges');
    const query = await readInput();
    const position = positionIn(divisionId, query.position);
    const page = position === undefined ? null : await changes.list(divisionId, { ...query, position });
    if (!page) {
      const field = query.side === 'after' ? 'after' : 'cursor';
      const detail = 'is no position in the history of this division (any more); start again';
      throw validationFailed([{ field, code: 'invalid_cursor', detail }]);
    }
    const show = (entry: NamedAuditEntry) => ({ ...entry, changes: shownChanges(entry, divisionId) });
    return {
      entries: page.entries.map(show),
      next: page.next === null ? null : inDivision(divisionId, page.next),
      after: inDivision(divisionId, page.after),
    };
  };
