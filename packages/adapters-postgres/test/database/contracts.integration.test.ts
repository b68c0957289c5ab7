import {
  actorDirectoryContract,
  auditLogContract,
  type ContractCase,
  conflictLimitsContract,
  conflictLimitsInTimeContract,
  credentialStoreContract,
  divisionListContract,
  divisionRepositoryContract,
  erasureContract,
  listExportsContract,
  loginLimitsContract,
  loginLimitsInTimeContract,
  passwordLinksContract,
  personalDataContract,
  sessionRepositoryContract,
  userDirectoryContract,
  userListContract,
  userRepositoryContract,
} from '@chapter/domain/testing';
import { atLeast } from '../../../../test-support/counts.ts';
import { useWorld } from '../support/use-world.ts';

const contracts: Readonly<Record<string, readonly ContractCase[]>> = {
  UserRepository: [...userRepositoryContract, ...userListContract],
  DivisionRepository: [...divisionRepositoryContract, ...divisionListContract],
  SessionRepository: sessionRepositoryContract,
  CredentialStore: credentialStoreContract,
  ActorDirectory: actorDirectoryContract,
  AuditLog: auditLogContract,
  PasswordLinks: passwordLinksContract,
  UserDirectory: userDirectoryContract,
  PersonalData: personalDataContract,
  Erasure: erasureContract,
  ListExports: listExportsContract,
  LoginLimits: [...loginLimitsContract, ...loginLimitsInTimeContract],
  ConflictLimits: [...conflictLimitsContract, ...conflictLimitsInTimeContract],
};

for (const [port, cases] of atLeast(13, Object.entries(contracts))) {
  describe(`${port} on PostgreSQL`, () => {
    const world = useWorld();
    for (const { title, run } of cases) it(title, () => run(world()));
  });
}
