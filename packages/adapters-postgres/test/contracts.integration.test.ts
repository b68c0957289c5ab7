import {
  actorDirectoryContract,
  auditLogContract,
  type ContractCase,
  conflictLimitsContract,
  conflictLimitsInTimeContract,
  credentialStoreContract,
  divisionListContract,
  divisionRepositoryContract,
  listExportsContract,
  loginLimitsContract,
  loginLimitsInTimeContract,
  passwordLinksContract,
  sessionRepositoryContract,
  userListContract,
  userRepositoryContract,
} from '@chapter/domain/testing';
import { useWorld } from './support/use-world.ts';

const contracts: Readonly<Record<string, readonly ContractCase[]>> = {
  UserRepository: [...userRepositoryContract, ...userListContract],
  DivisionRepository: [...divisionRepositoryContract, ...divisionListContract],
  SessionRepository: sessionRepositoryContract,
  CredentialStore: credentialStoreContract,
  ActorDirectory: actorDirectoryContract,
  AuditLog: auditLogContract,
  PasswordLinks: passwordLinksContract,
  ListExports: listExportsContract,
  LoginLimits: [...loginLimitsContract, ...loginLimitsInTimeContract],
  ConflictLimits: [...conflictLimitsContract, ...conflictLimitsInTimeContract],
};

for (const [port, cases] of Object.entries(contracts)) {
  describe(`${port} on PostgreSQL`, () => {
    const world = useWorld();
    for (const { title, run } of cases) it(title, () => run(world()));
  });
}
