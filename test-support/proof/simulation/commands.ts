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

interface OnTarget {
  readonly target: string;
}

interface WithRevisions {
  readonly revisions?: readonly string[];
}

/** A command that may take the last active Leader from a division. */
interface Forcible {
  readonly force: boolean;
}

/** What clients without an access token send, by kind. */
interface Public {
  readonly logIn: { readonly username: string; readonly password: string };
  readonly refreshSession: { readonly token: string };
  readonly endSession: { readonly token: string };
  readonly redeemPasswordLink: { readonly token: string; readonly password: string };
}

/** What clients send beside their access token, by kind. */
interface ByCaller {
  readonly getUser: OnTarget;
  readonly updateUser: OnTarget & WithRevisions & { readonly fields: UserFields };
  readonly createUser: {
    readonly fields: UserFields & { readonly username: string; readonly password: string };
    /** The idempotency key. */
    readonly key?: string;
  };
  readonly deleteUser: OnTarget & WithRevisions;
  readonly updateDivision: OnTarget &
    WithRevisions & { readonly fields: { readonly name?: string; readonly logo?: string | null } };
  readonly listOwnSessions: object;
  /** The target is a session, of any user. */
  readonly endOwnSession: OnTarget;
  readonly createPasswordLink: OnTarget;
}

/** What the operator gives, by kind. */
interface ByOperator {
  readonly linkUser: OnTarget & { readonly hours: number };
  readonly setUser: OnTarget &
    Forcible & {
      readonly fields: Pick<UserFields, 'groups' | 'isActive' | 'password'>;
      readonly flags: { readonly isStaff?: boolean; readonly isSuperuser?: boolean };
    };
  /** The groups are those in the new division, only `User` by default. */
  readonly moveUser: OnTarget & Forcible & { readonly divisionId: string; readonly groups?: readonly Group[] };
}

type Commands<Kinds> = { readonly [Kind in keyof Kinds]: { readonly kind: Kind } & Kinds[Kind] }[keyof Kinds];

/** A command of a client with an access token. */
export type CallerCommand = Commands<ByCaller> & { readonly access: string };
/** A command of the operator. */
export type OperatorCommand = Commands<ByOperator>;
/** A command of a client or of the operator. */
export type Command = Commands<Public> | CallerCommand | OperatorCommand;
/** A command of this kind. */
export type CommandOf<Kind extends Command['kind']> = Extract<Command, { readonly kind: Kind }>;

/** Whether a command is one of the operator. */
export const isOperation = ({ kind }: Command): boolean =>
  kind === 'moveUser' || kind === 'linkUser' || kind === 'setUser';
