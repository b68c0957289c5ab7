import {
  actorDirectoryContract,
  auditLogContract,
  conflictLimitsContract,
  conflictLimitsInTimeContract,
  credentialStoreContract,
  divisionListContract,
  divisionRepositoryContract,
  erasureContract,
  listExportsContract,
  loginLimitsContract,
  loginLimitsInTimeContract,
  makeRandomIds,
  makeSettableClock,
  makeWorld,
  passwordLinksContract,
  personalDataContract,
  sessionRepositoryContract,
  userDirectoryContract,
  userListContract,
  userRepositoryContract,
} from '@chapter/domain/testing';
import { atLeast } from '../../../../test-support/counts.ts';

const contracts = {
  'user repository': [...userRepositoryContract, ...userListContract],
  'division repository': [...divisionRepositoryContract, ...divisionListContract],
  'session repository': sessionRepositoryContract,
  'credential store': credentialStoreContract,
  'actor directory': actorDirectoryContract,
  'login limits': [...loginLimitsContract, ...loginLimitsInTimeContract],
  'conflict limits': [...conflictLimitsContract, ...conflictLimitsInTimeContract],
  'audit log': auditLogContract,
  'password links': passwordLinksContract,
  'user directory': userDirectoryContract,
  'personal data': personalDataContract,
  erasure: erasureContract,
  'list exports': listExportsContract,
};

// Random ids, so that no case depends on the order in which ids were made.
for (const [port, contract] of atLeast(13, Object.entries(contracts))) {
  describe(`The in-memory adapter of the ${port}`, () => {
    for (const { title, run } of contract) {
      it(title, () => {
        const clock = makeSettableClock('2031-05-31T23:59:59.123Z');
        return run(makeWorld({ clock, ids: makeRandomIds(clock) }));
      });
    }
  });
}
