import type { CurrentPasswordPorts } from './current-password.ts';
import type { NewUserPorts } from './new-user.ts';
import type { ConflictLimits } from './ports/conflict-limits.ts';
import type { CredentialStore } from './ports/credential-store.ts';
import type { DivisionRepository } from './ports/division-repository.ts';
import type { LoginLog } from './ports/login-log.ts';
import type { PublicAddress } from './ports/public-address.ts';
import type { UserRepository } from './ports/user-repository.ts';
import type { SessionPorts } from './session.ts';
import { makeCreateUser } from './use-cases/create-user.ts';
import { makeDeleteUser } from './use-cases/delete-user.ts';
import { makeEndSession } from './use-cases/end-session.ts';
import { makeGetDivision } from './use-cases/get-division.ts';
import { makeGetInfo } from './use-cases/get-info.ts';
import { makeGetUser } from './use-cases/get-user.ts';
import { makeListDivisionUsers } from './use-cases/list-division-users.ts';
import { makeListDivisions } from './use-cases/list-divisions.ts';
import { makeListGroups } from './use-cases/list-groups.ts';
import { makeListKeys } from './use-cases/list-keys.ts';
import { makeListUsers } from './use-cases/list-users.ts';
import { makeLogIn } from './use-cases/log-in.ts';
import { makeRefreshSession } from './use-cases/refresh-session.ts';
import { makeUpdateDivision } from './use-cases/update-division.ts';
import { makeUpdateUser } from './use-cases/update-user.ts';

/** Everything that the use cases together need of the world. */
export interface Ports extends SessionPorts, NewUserPorts, CurrentPasswordPorts {
  readonly users: UserRepository;
  readonly divisions: DivisionRepository;
  readonly credentials: CredentialStore;
  readonly publicAddress: PublicAddress;
  readonly loginLog: LoginLog;
  readonly conflictLimits: ConflictLimits;
}

/** All use cases over the same ports, by the names of the policy's rows and of the API's operations. */
export const makeUseCases = (ports: Ports) => ({
  logIn: makeLogIn(ports),
  refreshSession: makeRefreshSession(ports),
  endSession: makeEndSession(ports),
  listKeys: makeListKeys(ports),
  listGroups: makeListGroups(),
  getInfo: makeGetInfo(ports),
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

/** See {@link makeUseCases}. */
export type UseCases = ReturnType<typeof makeUseCases>;
