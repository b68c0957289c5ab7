import type { CredentialStore } from '../ports/credential-store.ts';
import type { DivisionRepository } from '../ports/division-repository.ts';
import type { ListExports } from '../ports/list-exports.ts';
import type { LoginLog } from '../ports/login-log.ts';
import type { PasswordLinks } from '../ports/password-links.ts';
import type { PublicAddress } from '../ports/public-address.ts';
import { makeCreatePasswordLink } from './create-password-link.ts';
import { type CreateUserPorts, makeCreateUser } from './create-user.ts';
import { makeDeleteUser } from './delete-user.ts';
import { makeEndOwnSession } from './end-own-session.ts';
import { makeEndSession } from './end-session.ts';
import { makeGetDivision } from './get-division.ts';
import { makeGetInfo } from './get-info.ts';
import { makeGetUser } from './get-user.ts';
import { makeListDivisionUsers } from './list-division-users.ts';
import { makeListDivisions } from './list-divisions.ts';
import { makeListGroups } from './list-groups.ts';
import { makeListKeys } from './list-keys.ts';
import { makeListOwnSessions } from './list-own-sessions.ts';
import { makeListUsers } from './list-users.ts';
import { makeLogIn } from './log-in.ts';
import { makeRedeemPasswordLink } from './redeem-password-link.ts';
import { makeRefreshSession } from './refresh-session.ts';
import type { CurrentPasswordPorts } from './steps/changes.ts';
import type { SessionPorts } from './steps/session.ts';
import { makeUpdateDivision } from './update-division.ts';
import { makeUpdateUser } from './update-user.ts';

export * from './create-password-link.ts';
export * from './create-user.ts';
export * from './delete-user.ts';
export * from './end-own-session.ts';
export * from './end-session.ts';
export * from './get-division.ts';
export * from './get-info.ts';
export * from './get-user.ts';
export * from './list-division-users.ts';
export * from './list-divisions.ts';
export * from './list-groups.ts';
export * from './list-keys.ts';
export * from './list-own-sessions.ts';
export * from './list-users.ts';
export * from './log-in.ts';
export * from './redeem-password-link.ts';
export * from './refresh-session.ts';
export * from './update-division.ts';
export * from './update-user.ts';

/** The ports of all use cases. */
export interface Ports extends SessionPorts, CreateUserPorts, CurrentPasswordPorts {
  readonly divisions: DivisionRepository;
  readonly credentials: CredentialStore;
  readonly publicAddress: PublicAddress;
  readonly loginLog: LoginLog;
  readonly listExports: ListExports;
  readonly passwordLinks: PasswordLinks;
}

/** Makes all use cases, named like the policy's rows and the API operations. */
export const makeUseCases = (ports: Ports) => ({
  logIn: makeLogIn(ports),
  refreshSession: makeRefreshSession(ports),
  endSession: makeEndSession(ports),
  listKeys: makeListKeys(ports),
  listGroups: makeListGroups(),
  getInfo: makeGetInfo(ports),
  listOwnSessions: makeListOwnSessions(ports),
  endOwnSession: makeEndOwnSession(ports),
  createPasswordLink: makeCreatePasswordLink(ports),
  redeemPasswordLink: makeRedeemPasswordLink(ports),
  listUsers: makeListUsers(ports),
  getUser: makeGetUser(ports),
  createUser: makeCreateUser(ports),
  updateUser: makeUpdateUser(ports),
  deleteUser: makeDeleteUser(ports),
  listDivisions: makeListDivisions(ports),
  getDivision: makeGetDivision(ports),
  updateDivision: makeUpdateDivision(ports),
  listDivisionUsers: makeListDivisionUsers(ports),
});

/** All use cases with bound ports. The type of a single one is, for example, `UseCases['updateUser']`. */
export type UseCases = ReturnType<typeof makeUseCases>;
