import { actorDirectoryContract } from './actor-directory.ts';
import { auditLogContract } from './audit-log.ts';
import { changeFeedContract } from './change-feed.ts';
import type { ContractCase } from './contract-case.ts';
import { credentialStoreContract } from './credential-store.ts';
import { divisionListContract } from './division-list.ts';
import { divisionRepositoryContract } from './division-repository.ts';
import { eachUserField } from './each-field.ts';
import { erasureContract } from './erasure.ts';
import { conflictLimitsContract, loginLimitsContract } from './limits.ts';
import { listExportsContract } from './list-exports.ts';
import { passwordLinksContract } from './password-links.ts';
import { personalDataContract } from './personal-data.ts';
import { personalTokensContract } from './personal-tokens.ts';
import { sessionRepositoryContract } from './session-repository.ts';
import { userDirectoryContract } from './user-directory.ts';
import { userListContract } from './user-list.ts';
import { usersCreated } from './users-created.ts';
import { usersKnown } from './users-known.ts';
import { lastLeaders, usersRaced } from './users-raced.ts';
import { usersWritten } from './users-written.ts';

/** The contract cases of every persistence port, by the name of the port. They need an empty world. */
export const portContracts = {
  UserRepository: [
    ...usersCreated,
    ...eachUserField,
    ...lastLeaders,
    ...usersWritten,
    ...usersKnown,
    ...usersRaced,
    ...userListContract,
  ],
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
