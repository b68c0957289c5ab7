export * from './fields/division-fields.ts';
export * from './fields/field-check.ts';
export * from './fields/field-table.ts';
export * from './fields/password.ts';
export * from './fields/user-checks.ts';
export * from './fields/user-fields.ts';
export * from './lists/list-fields.ts';
export * from './lists/list-query.ts';
export * from './model/actor-from-claims.ts';
export * from './model/audit-entry.ts';
export * from './model/dates.ts';
export * from './model/division.ts';
export * from './model/errors.ts';
export * from './model/lifetimes.ts';
export * from './model/pick.ts';
export * from './model/refresh-token-rules.ts';
export * from './model/revision.ts';
export * from './model/session.ts';
export * from './model/text.ts';
export * from './model/user.ts';
export * from './policy/attributes.ts';
export * from './policy/authorize.ts';
export * from './policy/conditions.ts';
export * from './policy/describe-policy.ts';
export * from './policy/fields.ts';
export * from './policy/grants.ts';
export * from './policy/policy.ts';
export * from './policy/rules.ts';
export * from './policy/scope-to-sql.ts';
export * from './policy/targets.ts';
export * from './ports/access-tokens.ts';
export * from './ports/actor-directory.ts';
export * from './ports/audit-log.ts';
export * from './ports/clock.ts';
export * from './ports/common-passwords.ts';
export * from './ports/conflict-limits.ts';
export * from './ports/credential-store.ts';
export * from './ports/database-health.ts';
export * from './ports/division-repository.ts';
export * from './ports/erasure.ts';
export * from './ports/id-generator.ts';
export * from './ports/idempotent-creation.ts';
export * from './ports/list-exports.ts';
export * from './ports/login-limits.ts';
export * from './ports/login-log.ts';
export * from './ports/password-hasher.ts';
export * from './ports/password-links.ts';
export * from './ports/personal-data.ts';
export * from './ports/public-address.ts';
export * from './ports/refresh-tokens.ts';
export * from './ports/session-repository.ts';
export * from './ports/user-directory.ts';
export * from './ports/user-repository.ts';
export * from './queues/fair-queue.ts';
export * from './use-cases/index.ts';
export type { AttemptPorts, LogIn } from './use-cases/steps/attempt-login.ts';
export * from './use-cases/steps/authenticate.ts';
export type {
  CurrentPasswordPorts,
  ReadInput,
  SentChanges,
  SentCreation,
  UserChangePorts,
} from './use-cases/steps/changes.ts';
export type { NewUserPorts } from './use-cases/steps/check-new-user.ts';
export * from './use-cases/steps/guessable.ts';
export * from './use-cases/steps/session.ts';
export * from './writes/division-writes.ts';
export * from './writes/user-writes.ts';
