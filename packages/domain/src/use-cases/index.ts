import type { ChangeFeed } from '../ports/change-feed.ts';
import type { Erasure } from '../ports/erasure.ts';
import type { ListExports } from '../ports/list-exports.ts';
import type { LoginLog } from '../ports/login-log.ts';
import type { PersonalData } from '../ports/personal-data.ts';
import type { PublicAddress } from '../ports/public-address.ts';
import type { UserDirectory } from '../ports/user-directory.ts';
import {
  makeCreateAccessToken,
  makeEndAccessToken,
  makeListAccessTokens,
  type PersonalTokenPorts,
} from './access-tokens.ts';
import { type CreateUserPorts, makeCreateUser } from './create-user.ts';
import {
  makeCreateDivision,
  makeDeleteDivision,
  makeGetDivision,
  makeListDivisions,
  makeListDivisionUsers,
  makeUpdateDivision,
} from './divisions.ts';
import { makeGetDivisionStatistics } from './get-division-statistics.ts';
import { makeGetPermissions } from './get-permissions.ts';
import { makeListChanges } from './list-changes.ts';
import { makeLogIn } from './log-in.ts';
import { makeCreatePasswordLink, makeRedeemPasswordLink, type NewLinkPorts } from './password-links.ts';
import { makeEraseUser, makeExportUserData, makePruneAudit } from './personal-data.ts';
import { makeGetInfo, makeListGroups, makeListKeys } from './service.ts';
import {
  makeEndOwnSession,
  makeEndSession,
  makeEndSessions,
  makeListOwnSessions,
  makeRefreshSession,
} from './sessions.ts';
import type { CurrentPasswordPorts } from './steps/changes.ts';
import type { SessionPorts } from './steps/session.ts';
import { makeUpdateUser } from './update-user.ts';
import {
  makeDeleteUser,
  makeGetOwnUser,
  makeGetUser,
  makeListUsers,
  makeListUsersWhoCan,
  makeMoveUser,
  makeUnlockUser,
} from './users.ts';

export type { CreatedPersonalToken, PersonalTokenPorts } from './access-tokens.ts';
export { countedMonths, type DivisionStatistics, DORMANT_DAYS, readStatistics } from './get-division-statistics.ts';
export type { Permissions, PermissionTarget } from './get-permissions.ts';
export { LINK_HOURS, type PasswordLink } from './password-links.ts';
export type { DescribedGroup, Info } from './service.ts';
export type { OwnSession } from './sessions.ts';

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
