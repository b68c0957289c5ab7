import type { Group } from '../../../packages/domain/src/index.ts';

/** The fields of a user that a command sends. */
export interface UserFields {
  readonly username?: string;
  readonly email?: string;
  readonly firstName?: string;
  readonly groups?: readonly Group[];
  readonly isActive?: boolean;
  readonly password?: string;
  readonly currentPassword?: string;
}

interface ByCaller {
  /** The caller's access token. */
  readonly access: string;
}

interface LogIn {
  readonly kind: 'logIn';
  readonly username: string;
  readonly password: string;
}

interface Refresh {
  readonly kind: 'refreshSession';
  readonly token: string;
}

interface LogOut {
  readonly kind: 'endSession';
  readonly token: string;
}

/** A read of a user. */
interface Reading extends ByCaller {
  readonly kind: 'getUser';
  readonly target: string;
}

/** A change of a user. */
export interface Update extends ByCaller {
  readonly kind: 'updateUser';
  readonly target: string;
  readonly fields: UserFields;
  readonly revisions?: readonly string[];
}

/** A creation of a user. */
export interface Creation extends ByCaller {
  readonly kind: 'createUser';
  readonly fields: UserFields & { readonly username: string; readonly password: string };
  /** The idempotency key. */
  readonly key?: string;
}

/** A deletion of a user. */
export interface Deletion extends ByCaller {
  readonly kind: 'deleteUser';
  readonly target: string;
  readonly revisions?: readonly string[];
}

/** A change of a division. */
export interface DivisionUpdateCommand extends ByCaller {
  readonly kind: 'updateDivision';
  readonly target: string;
  readonly fields: { readonly name?: string; readonly logo?: string | null };
  readonly revisions?: readonly string[];
}

/** A read of the caller's own sessions. */
interface OwnSessions extends ByCaller {
  readonly kind: 'listOwnSessions';
}

/** A request to end a session by its id. */
interface OwnSessionEnd extends ByCaller {
  readonly kind: 'endOwnSession';
  /** The id of a session, of any user. */
  readonly target: string;
}

/** A creation of a password link. */
interface LinkCreation extends ByCaller {
  readonly kind: 'createPasswordLink';
  readonly target: string;
}

/** A redemption of a password link. */
interface Redemption {
  readonly kind: 'redeemPasswordLink';
  readonly token: string;
  readonly password: string;
}

/** A creation of a password link by the operator. */
interface OperatorLink {
  readonly kind: 'linkUser';
  readonly target: string;
  readonly hours: number;
}

/** A change of a user by the operator. */
export interface UserSettingCommand {
  readonly kind: 'setUser';
  readonly target: string;
  readonly fields: Pick<UserFields, 'groups' | 'isActive' | 'password'>;
  readonly flags: { readonly isStaff?: boolean; readonly isSuperuser?: boolean };
  /** Whether the division may lose its last active Leader. */
  readonly force: boolean;
}

/** A move of a user to another division, by the operator. */
export interface Move {
  readonly kind: 'moveUser';
  readonly target: string;
  readonly divisionId: string;
  /** The groups in the new division, unless it is only `User`. */
  readonly groups?: readonly Group[];
  /** Whether the division may lose its last active Leader. */
  readonly force: boolean;
}

/** A command of a client with an access token. */
export type CallerCommand =
  | Reading
  | Update
  | Creation
  | Deletion
  | DivisionUpdateCommand
  | OwnSessions
  | OwnSessionEnd
  | LinkCreation;

/** A command of the operator. */
export type OperatorCommand = Move | OperatorLink | UserSettingCommand;

/** A command of a client or of the operator. */
export type Command = LogIn | Refresh | LogOut | Redemption | CallerCommand | OperatorCommand;

/** Whether a command is one of the operator. */
export const isOperation = ({ kind }: Command): boolean =>
  kind === 'moveUser' || kind === 'linkUser' || kind === 'setUser';
