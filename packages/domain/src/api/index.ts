// What adapters that serve the use cases need: the entry of ports, fields and their checks, refusals, and the types of results.
export { type AccessEntity, type AccessPage, type AccessQuestion, type Found, SERVICE_ID } from '../access/access.ts';
export * from '../fields/field-check.ts';
export * from '../fields/password.ts';
export * from '../index.ts';
export { authorize } from '../policy/authorize.ts';
export * from '../policy/credentials.ts';
export { operatorActions, operatorFields, publicActions, type TargetKind, targetKindOf } from '../policy/policy.ts';
export * from '../ports/index.ts';
export * from '../use-cases/index.ts';
export type { LogIn } from '../use-cases/log-in.ts';
export * from '../use-cases/steps/authenticate.ts';
export type { ReadInput, SentChanges, SentCreation } from '../use-cases/steps/changes.ts';
export { guessableFaults } from '../use-cases/steps/passwords.ts';
export type { Session } from '../use-cases/steps/session.ts';
