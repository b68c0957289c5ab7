import { AuditEntryEntity } from './audit-entry-entity.ts';
import { DivisionEntity } from './division-entity.ts';
import { IdempotencyKeyEntity } from './idempotency-key-entity.ts';
import { LoginLimitEntity } from './login-limit-entity.ts';
import { PasswordLinkEntity } from './password-link-entity.ts';
import { RefreshTokenEntity, SessionEntity } from './session-entity.ts';
import { UserActivityEntity } from './user-activity-entity.ts';
import { UserEntity } from './user-entity.ts';

/** All tables that the migrations create. */
export const entities = [
  DivisionEntity,
  UserEntity,
  SessionEntity,
  RefreshTokenEntity,
  IdempotencyKeyEntity,
  AuditEntryEntity,
  LoginLimitEntity,
  PasswordLinkEntity,
  UserActivityEntity,
];
