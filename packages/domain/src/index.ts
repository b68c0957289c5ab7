export * from './fields/day-between.ts';
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
export * from './model/calendar-date.ts';
export * from './model/division.ts';
export * from './model/errors.ts';
export * from './model/instant.ts';
export * from './model/lifetimes.ts';
export * from './model/pick.ts';
export * from './model/refresh-token-rules.ts';
export * from './model/revision.ts';
export * from './model/session.ts';
export * from './model/snake-case.ts';
export * from './model/text.ts';
export * from './model/user.ts';
export * from './policy/authorize.ts';
export * from './policy/describe-policy.ts';
export * from './policy/policy.ts';
export * from './policy/rules.ts';
export * from './policy/scope.ts';
export * from './ports/access-tokens.ts';
export * from './ports/actor-directory.ts';
export * from './ports/audit-log.ts';
export * from './ports/clock.ts';
export * from './ports/common-passwords.ts';
export * from './ports/conflict-limits.ts';
export * from './ports/credential-store.ts';
export * from './ports/division-repository.ts';
export * from './ports/id-generator.ts';
export * from './ports/idempotent-creation.ts';
export * from './ports/login-limits.ts';
export * from './ports/login-log.ts';
export * from './ports/password-hasher.ts';
export * from './ports/public-address.ts';
export * from './ports/refresh-tokens.ts';
export * from './ports/session-repository.ts';
export * from './ports/session-store.ts';
export * from './ports/user-change.ts';
export * from './ports/user-repository.ts';
export * from './use-cases/create-user.ts';
export * from './use-cases/delete-user.ts';
export * from './use-cases/end-session.ts';
export * from './use-cases/get-division.ts';
export * from './use-cases/get-info.ts';
export * from './use-cases/get-user.ts';
export * from './use-cases/index.ts';
export * from './use-cases/list-division-users.ts';
export * from './use-cases/list-divisions.ts';
export * from './use-cases/list-groups.ts';
export * from './use-cases/list-keys.ts';
export * from './use-cases/list-users.ts';
export * from './use-cases/log-in.ts';
export * from './use-cases/operator/admit-user.ts';
export * from './use-cases/operator/create-division.ts';
export * from './use-cases/operator/set-user.ts';
export * from './use-cases/refresh-session.ts';
export type { AttemptPorts, LogIn } from './use-cases/steps/attempt-login.ts';
export * from './use-cases/steps/authenticate.ts';
export type {
  CurrentPasswordPorts,
  ReadInput,
  SentChanges,
  SentCreation,
  SentRequest,
  UserChangePorts,
} from './use-cases/steps/changes.ts';
export type { NewUserPorts } from './use-cases/steps/check-new-user.ts';
export * from './use-cases/steps/guessable.ts';
export * from './use-cases/steps/session.ts';
export * from './use-cases/update-division.ts';
export * from './use-cases/update-user.ts';
