import { actorDirectoryContract } from './actor-directory.ts';
import { auditLogContract } from './audit-log.ts';
import { changeFeedContract } from './change-feed.ts';
import type { ContractCase } from './contract-case.ts';
import { credentialStoreContract } from './credential-store.ts';
import { divisionListContract } from './division-list.ts';
import { divisionRepositoryContract } from './division-repository.ts';
import { erasureContract } from './erasure.ts';
import { conflictLimitsContract, loginLimitsContract } from './limits.ts';
import { listExportsContract } from './list-exports.ts';
import { passwordLinksContract } from './password-links.ts';
import { personalDataContract } from './personal-data.ts';
import { personalTokensContract } from './personal-tokens.ts';
import { sessionRepositoryContract } from './session-repository.ts';
import { userDirectoryContract } from './user-directory.ts';
import { userListContract } from './user-list.ts';
import { userRepositoryContract } from './user-repository.ts';

/** The contract cases of every persistence port, by the name of the port. They need an empty world. */
export const portContracts = {
  UserRepository: [...userRepositoryContract, ...userListContract],
  DivisionRepository: [...divisionRepositoryContract, ...divisionListContract],
  SessionRepository: sessionRepositoryContract,
  CredentialStore: credentialStoreContract,
  ActorDirectory: actorDirectoryContract,
  AuditLog: auditLogContract,
  ChangeFeed: changeFeedContract,
  PasswordLinks: passwordLinksContract,
  PersonalTokens: personalTokensContract,
  UserDirectory: userDirectoryContract,
  PersonalData: personalDataContract,
  Erasure: erasureContract,
  ListExports: listExportsContract,
  LoginLimits: loginLimitsContract,
  ConflictLimits: conflictLimitsContract,
} as const satisfies Record<string, readonly ContractCase[]>;
