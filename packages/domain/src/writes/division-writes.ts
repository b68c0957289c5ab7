import { CHANGEABLE_DIVISION_FIELDS, divisionDifferences, isSameDivision } from '../fields/division-fields.ts';
import { type AuditedAction, divisionAudit } from '../model/audit-entry.ts';
import type { Division } from '../model/division.ts';
import { forbidden } from '../model/errors.ts';
import { pick } from '../model/pick.ts';
import type { Revision } from '../model/revision.ts';
import type { Actor } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import { requireRevision } from './rules.ts';

/** A stored division, read under a lock together with the author's current rights. */
export interface LockedDivision {
  /** The author as stored now; null for the operator and for a deleted author. */
  readonly actor: Actor | null;
  readonly division: Division;
}

/** A stored division that is locked against new members. */
export interface DivisionToDelete extends LockedDivision {
  /** Whether the division has users, active or not. */
  readonly hasMembers: boolean;
}

/** What one write does to a division. An adapter applies it in one transaction. */
export interface DivisionWrite {
  readonly kind: 'create' | 'change' | 'delete';
  /** The values to store; of a deletion, those that were stored. The adapter assigns the revision. */
  readonly division: Division;
  readonly audit: AuditedAction;
}

/** Decides the creation of a division. */
export const decideDivisionCreation = (fields: Omit<Division, 'revision'>): DivisionWrite => {
  const division = { ...fields, revision: '' };
  return {
    kind: 'create',
    division,
    audit: divisionAudit('createDivision', division.id, divisionDifferences(null, division)),
  };
};

/** Decides a change by the operator. Values of fields that no change may set are ignored. */
export const decideDivisionSetting = (
  { division: before }: Pick<LockedDivision, 'division'>,
  values: Partial<Division>,
): DivisionWrite | 'unchanged' => {
  const division = { ...before, ...pick({ ...before, ...values }, CHANGEABLE_DIVISION_FIELDS) };
  if (isSameDivision(before, division)) return 'unchanged';
  return {
    kind: 'change',
    division,
    audit: divisionAudit('updateDivision', division.id, divisionDifferences(before, division)),
  };
};

/** A change of a division by a caller. */
export interface DivisionUpdate {
  readonly values: Partial<Division>;
  /** The division must have one of these revisions; absent to accept any. */
  readonly revisions?: readonly Revision[] | undefined;
}

/** Decides a change by a caller. @throws DomainError like {@link authorize}; `precondition_failed`. */
export const decideDivisionUpdate = (
  locked: LockedDivision,
  { values, revisions }: DivisionUpdate,
): DivisionWrite | 'unchanged' => {
  const { actor, division } = locked;
  authorize(actor, 'updateDivision', { divisionId: division.id });
  requireRevision(division.revision, revisions);
  return decideDivisionSetting(locked, values);
};

/** Decides a deletion by the operator. @throws DomainError `forbidden` if the division has users. */
export const decideDivisionDeletion = ({ division, hasMembers }: DivisionToDelete): DivisionWrite => {
  if (hasMembers) throw forbidden('the division has users; move or delete them first');
  return {
    kind: 'delete',
    division,
    audit: divisionAudit('deleteDivision', division.id, divisionDifferences(division, null)),
  };
};
