// Decides, and assembles the use cases. Adapters find what else they need in ports/ and api/.
export { type Access, makeAccess } from './access/access.ts';
export { userChecks, userRules } from './fields/user-fields.ts';
export type { UserListField } from './lists/list-fields.ts';
export { type ListQuery, listQuery, type Page } from './lists/list-query.ts';
export { actorFromClaims } from './model/actor-from-claims.ts';
export type { Division, DivisionId, DivisionReference } from './model/division.ts';
export type { FaultCode, FieldFault } from './model/errors.ts';
export { DOMAIN_ERROR_CODES, DomainError, type DomainErrorCode, isDomainError } from './model/errors.ts';
export { LIFETIME_SECONDS } from './model/lifetimes.ts';
export type { Actor, CalendarDate, Caller, Group, Instant, Origin, PasswordHash, User, UserId } from './model/user.ts';
export { actorOf, GROUPS, isAdministrator, isOperator, isUuid, makeActor, OPERATOR, parseUuid } from './model/user.ts';
export type { AttributeKind, Attributes, ReadTarget, WithAttributes } from './policy/attributes.ts';
export type {
  Action,
  CallerIn,
  CallerOfRules,
  DecideBy,
  Decision,
  Outcome,
  ScopedActionIn,
  TargetIn,
  TargetOf,
} from './policy/authorize.ts';
export { can, explain, makeCan, makeExplain, makeScope, scope } from './policy/authorize.ts';
export type { Clause, Condition, Match, Operand, Scope, ScopeMatch, Value } from './policy/conditions.ts';
export { isInScope, type ScopeWriter, writeScope } from './policy/conditions.ts';
export { type DescribedPolicy, describePolicy, policyTable } from './policy/describe-policy.ts';
export { type FieldRights, forbiddenFields, makeFieldRights, writableFields } from './policy/fields.ts';
export { type Grant, grants, makeGrants } from './policy/grants.ts';
export { fieldRights, onDivision, onService, onSession, onUser, policy } from './policy/policy.ts';
export type {
  ActorOfRules,
  AnyRule,
  Rule,
  ScopedRule,
  TargetOfRules,
  TargetWithoutTypeAnnotation,
} from './policy/rules.ts';
export { anyOf, restrict, rule, rules, scopedRule, where } from './policy/rules.ts';
export { type ScopeColumns, type SqlCondition, scopeToSql } from './policy/scope-to-sql.ts';
export type { FieldTarget, Policy, PolicyRow, TargetOfType, TargetType, UserTarget } from './policy/targets.ts';
export { asTarget, defineTarget, orOperator, row, rowsFor, targetTypes } from './policy/targets.ts';
export { makeOperatorUseCases, makeUseCases, type Ports, type UseCases } from './use-cases/index.ts';
export type { PendingCaller } from './use-cases/steps/authenticate.ts';
export { type Authenticate, type IdentifiedCaller, makeAuthenticate } from './use-cases/steps/authenticate.ts';
