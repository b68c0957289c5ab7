// What adapters that serve the use cases need: fields and their checks, lists, texts, refusals, and the types of results.
export { type AccessEntity, type AccessQuestion, SERVICE_ID } from '../access/evaluate.ts';
export type { AccessPage, Found } from '../access/search.ts';
export * from '../fields/division-fields.ts';
export * from '../fields/field-check.ts';
export * from '../fields/field-table.ts';
export * from '../fields/password.ts';
export * from '../fields/user-checks.ts';
export * from '../fields/user-fields.ts';
export * from '../index.ts';
export * from '../lists/list-fields.ts';
export * from '../lists/list-query.ts';
export * from '../model/audit-entry.ts';
export * from '../model/dates.ts';
export * from '../model/errors.ts';
export * from '../model/personal-token.ts';
export * from '../model/pick.ts';
export * from '../model/revision.ts';
export * from '../model/text.ts';
export * from '../model/user.ts';
export { authorize } from '../policy/authorize.ts';
export * from '../policy/credentials.ts';
export { authorizeFields } from '../policy/fields.ts';
export { operatorActions, operatorFields, publicActions, type TargetKind, targetKindOf } from '../policy/policy.ts';
export type { AuditFilter, NamedAuditEntry } from '../ports/audit-log.ts';
export * from '../ports/change-feed.ts';
export * from '../ports/database-health.ts';
export * from '../ports/list-exports.ts';
export * from '../queues/fair-queue.ts';
export * from '../use-cases/index.ts';
export type { AttemptPorts, LogIn } from '../use-cases/steps/attempt-login.ts';
export * from '../use-cases/steps/authenticate.ts';
export type {
  CurrentPasswordPorts,
  ReadInput,
  SentChanges,
  SentCreation,
  UserChangePorts,
} from '../use-cases/steps/changes.ts';
export type { NewUserPorts } from '../use-cases/steps/check-new-user.ts';
export { guessableFault } from '../use-cases/steps/guessable.ts';
export { addSeconds, type Session, type SessionPorts, tokenTimes } from '../use-cases/steps/session.ts';
