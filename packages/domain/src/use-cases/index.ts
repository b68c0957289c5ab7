import type { ChangeFeed } from '../ports/change-feed.ts';
import type { Erasure } from '../ports/erasure.ts';
import type { ListExports } from '../ports/list-exports.ts';
import type { LoginLog } from '../ports/login-log.ts';
import type { PersonalData } from '../ports/personal-data.ts';
import type { PublicAddress } from '../ports/public-address.ts';
import type { UserDirectory } from '../ports/user-directory.ts';
import { makeCreateAccessToken, type PersonalTokenPorts } from './create-access-token.ts';
import { makeCreateDivision } from './create-division.ts';
import { makeCreatePasswordLink, type NewLinkPorts } from './create-password-link.ts';
import { type CreateUserPorts, makeCreateUser } from './create-user.ts';
import { makeDeleteDivision } from './delete-division.ts';
import { makeDeleteUser } from './delete-user.ts';
import { makeEndAccessToken } from './end-access-token.ts';
import { makeEndOwnSession } from './end-own-session.ts';
import { makeEndSession } from './end-session.ts';
import { makeEndSessions } from './end-sessions.ts';
import { makeEraseUser } from './erase-user.ts';
import { makeExportUserData } from './export-user-data.ts';
import { makeGetDivision } from './get-division.ts';
import { makeGetDivisionStatistics } from './get-division-statistics.ts';
import { makeGetInfo } from './get-info.ts';
import { makeGetOwnUser } from './get-own-user.ts';
import { makeGetPermissions } from './get-permissions.ts';
import { makeGetUser } from './get-user.ts';
import { makeListAccessTokens } from './list-access-tokens.ts';
import { makeListChanges } from './list-changes.ts';
import { makeListDivisionUsers } from './list-division-users.ts';
import { makeListDivisions } from './list-divisions.ts';
import { makeListGroups } from './list-groups.ts';
import { makeListKeys } from './list-keys.ts';
import { makeListOwnSessions } from './list-own-sessions.ts';
import { makeListUsers } from './list-users.ts';
import { makeListUsersWhoCan } from './list-users-who-can.ts';
import { makeLogIn } from './log-in.ts';
import { makeMoveUser } from './move-user.ts';
import { makePruneAudit } from './prune-audit.ts';
import { makeRedeemPasswordLink } from './redeem-password-link.ts';
import { makeRefreshSession } from './refresh-session.ts';
import type { CurrentPasswordPorts } from './steps/changes.ts';
import type { SessionPorts } from './steps/session.ts';
import { makeUnlockUser } from './unlock-user.ts';
import { makeUpdateDivision } from './update-division.ts';
import { makeUpdateUser } from './update-user.ts';

export type { CreatedPersonalToken, PersonalTokenPorts } from './create-access-token.ts';
export { LINK_HOURS, type PasswordLink } from './create-password-link.ts';
export { countedMonths, type DivisionStatistics, DORMANT_DAYS, readStatistics } from './get-division-statistics.ts';
export type { Info } from './get-info.ts';
export type { Permissions, PermissionTarget } from './get-permissions.ts';
export type { DescribedGroup } from './list-groups.ts';
export type { OwnSession } from './list-own-sessions.ts';

/** The ports of all use cases. */
export interface Ports extends SessionPorts, CreateUserPorts, CurrentPasswordPorts, NewLinkPorts, PersonalTokenPorts {
  readonly publicAddress: PublicAddress;
  readonly loginLog: LoginLog;
  readonly listExports: ListExports;
  readonly changes: ChangeFeed;
  readonly personalData: PersonalData;
  readonly erasure: Erasure;
  readonly directory: UserDirectory;
}

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
  deleteUser: makeDeleteUser(ports),
  moveUser: makeMoveUser(ports),
  createPasswordLink: makeCreatePasswordLink(ports),
  createAccessToken: makeCreateAccessToken(ports),
  listAccessTokens: makeListAccessTokens(ports),
  endAccessToken: makeEndAccessToken(ports),
  endSessions: makeEndSessions(ports),
  unlockUser: makeUnlockUser(ports),
  exportUserData: makeExportUserData(ports),
  eraseUser: makeEraseUser(ports),
  createDivision: makeCreateDivision(ports),
  updateDivision: makeUpdateDivision(ports),
  deleteDivision: makeDeleteDivision(ports),
  listUsersWhoCan: makeListUsersWhoCan(ports),
  pruneAudit: makePruneAudit(ports),
});

/** Makes all use cases, named like the policy's rows. */
export const makeUseCases = (ports: Ports) => ({
  ...makeOperatorUseCases(ports),
  logIn: makeLogIn(ports),
  refreshSession: makeRefreshSession(ports),
  endSession: makeEndSession(ports),
  listKeys: makeListKeys(ports),
  listGroups: makeListGroups(),
  getInfo: makeGetInfo(ports),
  getOwnUser: makeGetOwnUser(ports),
  getPermissions: makeGetPermissions(ports),
  listOwnSessions: makeListOwnSessions(ports),
  endOwnSession: makeEndOwnSession(ports),
  redeemPasswordLink: makeRedeemPasswordLink(ports),
  listUsers: makeListUsers(ports),
  getUser: makeGetUser(ports),
  listDivisions: makeListDivisions(ports),
  getDivision: makeGetDivision(ports),
  listDivisionUsers: makeListDivisionUsers(ports),
  getDivisionStatistics: makeGetDivisionStatistics(ports),
  listChanges: makeListChanges(ports),
});

/** All use cases with bound ports. The type of a single one is, for example, `UseCases['updateUser']`. */
export type UseCases = ReturnType<typeof makeUseCases>;
