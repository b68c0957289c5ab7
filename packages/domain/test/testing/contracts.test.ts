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

for (const [port, contract] of Object.entries(contracts)) {
  describe(`The in-memory adapter of the ${port}`, () => {
    for (const { title, run } of contract) it(title, () => run(makeWorld()));
  });
}

describe('The in-memory adapters with random ids', () => {
  for (const { title, run } of Object.values(contracts).flat()) {
    it(title, () => {
      const clock = makeSettableClock('2031-05-31T23:59:59.123Z');
      return run(makeWorld({ clock, ids: makeRandomIds(clock) }));
    });
  }
});
