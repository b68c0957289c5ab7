import { CHANGEABLE_DIVISION_FIELDS, divisionDifferences, isSameDivision } from '../fields/division-fields.ts';
import { type AuditedAction, divisionAudit } from '../model/audit-entry.ts';
import type { Division } from '../model/division.ts';
import { forbidden } from '../model/errors.ts';
import { pick } from '../model/pick.ts';
import type { Conditional } from '../model/revision.ts';
import type { Actor, Caller } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import { presentCaller, requireRevision } from './rules.ts';

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
  /** Whether the division is new, changed or deleted. */
  readonly kind: 'create' | 'change' | 'delete';
  /** The values to store; of a deletion, those that were stored. The adapter assigns the revision. */
  readonly division: Division;
  readonly audit: AuditedAction;
}

/** Decides the creation of a division. */
export const decideDivisionCreation = (fields: Omit<Division, 'revision'>): DivisionWrite => {
  const division = { ...fields, revision: '' };
  const audit = divisionAudit('createDivision', division.id, divisionDifferences(null, division));
  return { kind: 'create', division, audit };
};

/** A change of a division. */
export interface DivisionUpdate extends Conditional {
  /** The new values; those of fields that no change may set are ignored. */
  readonly values: Partial<Division>;
}

/** Decides a change. @throws DomainError like {@link authorize}; `precondition_failed`. */
export const decideDivisionUpdate = (
  caller: Caller,
  { actor, division: before }: LockedDivision,
  { values, revisions }: DivisionUpdate,
): DivisionWrite | 'unchanged' => {
  authorize(presentCaller(caller, actor), 'updateDivision', { divisionId: before.id });
  requireRevision(before.revision, revisions);
  const division = { ...before, ...pick({ ...before, ...values }, CHANGEABLE_DIVISION_FIELDS) };
  if (isSameDivision(before, division)) return 'unchanged';
  const audit = divisionAudit('updateDivision', division.id, divisionDifferences(before, division));
  return { kind: 'change', division, audit };
};

/** Decides a deletion. @throws DomainError like {@link authorize}; `forbidden` if the division has users. */
export const decideDivisionDeletion = (
  caller: Caller,
  { actor, division, hasMembers }: DivisionToDelete,
): DivisionWrite => {
  authorize(presentCaller(caller, actor), 'deleteDivision', { divisionId: division.id });
  if (hasMembers) throw forbidden('the division has users; move or delete them first');
  const audit = divisionAudit('deleteDivision', division.id, divisionDifferences(division, null));
  return { kind: 'delete', division, audit };
};
