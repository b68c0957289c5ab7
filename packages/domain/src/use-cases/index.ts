import * as accessTokens from './access-tokens.ts';
import { makeCreateUser } from './create-user.ts';
import * as divisions from './divisions.ts';
import { makeGetDivisionStatistics } from './get-division-statistics.ts';
import { makeGetPermissions } from './get-permissions.ts';
import { makeListChanges } from './list-changes.ts';
import { makeLogIn } from './log-in.ts';
import * as passwordLinks from './password-links.ts';
import * as personalData from './personal-data.ts';
import * as service from './service.ts';
import * as sessions from './sessions.ts';
import type { Ports } from './steps/ports.ts';
import { makeUpdateUser } from './update-user.ts';
import * as users from './users.ts';

export type { CreatedPersonalToken } from './access-tokens.ts';
export { countedMonths, type DivisionStatistics, DORMANT_DAYS, readStatistics } from './get-division-statistics.ts';
export type { Permissions, PermissionTarget } from './get-permissions.ts';
export { LINK_HOURS, type PasswordLink } from './password-links.ts';
export type { OwnSession } from './sessions.ts';
export type { Ports } from './steps/ports.ts';

/** The ports that only requests of clients need. */
type RequestPorts =
  | 'accessTokens'
  | 'refreshLifetime'
  | 'sessionLifetime'
  | 'publicAddress'
  | 'loginLog'
  | 'listExports'
  | 'changes';

/** Makes the use cases whose policy rows allow the operator. */
export const makeOperatorUseCases = (ports: Omit<Ports, RequestPorts>) => ({
  createUser: makeCreateUser(ports),
  updateUser: makeUpdateUser(ports),
  deleteUser: users.makeDeleteUser(ports),
  moveUser: users.makeMoveUser(ports),
  createPasswordLink: passwordLinks.makeCreatePasswordLink(ports),
  createAccessToken: accessTokens.makeCreateAccessToken(ports),
  listAccessTokens: accessTokens.makeListAccessTokens(ports),
  endAccessToken: accessTokens.makeEndAccessToken(ports),
  endSessions: sessions.makeEndSessions(ports),
  unlockUser: users.makeUnlockUser(ports),
  exportUserData: personalData.makeExportUserData(ports),
  eraseUser: personalData.makeEraseUser(ports),
  createDivision: divisions.makeCreateDivision(ports),
  updateDivision: divisions.makeUpdateDivision(ports),
  deleteDivision: divisions.makeDeleteDivision(ports),
  listUsersWhoCan: users.makeListUsersWhoCan(ports),
  pruneAudit: personalData.makePruneAudit(ports),
});

/** Makes all use cases, named like the policy's rows. */
export const makeUseCases = (ports: Ports) => ({
  ...makeOperatorUseCases(ports),
  logIn: makeLogIn(ports),
  refreshSession: sessions.makeRefreshSession(ports),
  endSession: sessions.makeEndSession(ports),
  listKeys: service.makeListKeys(ports),
  listGroups: service.makeListGroups(),
  getInfo: service.makeGetInfo(ports),
  getOwnUser: users.makeGetOwnUser(ports),
  getPermissions: makeGetPermissions(ports),
  listOwnSessions: sessions.makeListOwnSessions(ports),
  endOwnSession: sessions.makeEndOwnSession(ports),
  redeemPasswordLink: passwordLinks.makeRedeemPasswordLink(ports),
  listUsers: users.makeListUsers(ports),
  getUser: users.makeGetUser(ports),
  listDivisions: divisions.makeListDivisions(ports),
  getDivision: divisions.makeGetDivision(ports),
  listDivisionUsers: divisions.makeListDivisionUsers(ports),
  getDivisionStatistics: makeGetDivisionStatistics(ports),
  listChanges: makeListChanges(ports),
});

/** All use cases with bound ports. The type of a single one is, for example, `UseCases['updateUser']`. */
export type UseCases = ReturnType<typeof makeUseCases>;
