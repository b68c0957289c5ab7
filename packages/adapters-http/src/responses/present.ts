import type {
  ChangePage,
  Division,
  DivisionReference,
  DivisionStatistics,
  Info,
  ListedUser,
  NamedAuditEntry,
  OwnSession,
  PasswordLink,
  Permissions,
  PersonalToken,
  Session,
  User,
} from '@chapter/domain/api';
import type { Static } from 'typebox';
import { toWireName } from '../errors/faults.ts';
import { encodeChangePosition } from '../lists/change-parameters.ts';
import type * as changes from '../schemas/change.ts';
import type * as divisions from '../schemas/division.ts';
import type * as tokens from '../schemas/personal-token.ts';
import type * as service from '../schemas/service.ts';
import type * as sessions from '../schemas/session.ts';
import type * as users from '../schemas/user.ts';

const reference = ({ id, name }: DivisionReference): Static<typeof users.DivisionReference> => ({ id, name });

/** Presents a user with all fields (contract §4). */
export const presentUser = (user: ListedUser): Static<typeof users.User> => ({
  id: user.id,
  username: user.username,
  email: user.email,
  first_name: user.firstName,
  last_name: user.lastName,
  division: reference(user.division),
  groups: user.groups as Static<typeof users.User>['groups'],
  birthdate: user.birthdate,
  is_active: user.isActive,
  is_staff: user.isStaff,
  is_superuser: user.isSuperuser,
  date_joined: user.dateJoined,
});

/** Presents a user with the fields of `GET /api/users/{id}/` (contract §4). */
export const presentUserSummary = (user: User): Static<typeof users.UserSummary> => ({
  id: user.id,
  username: user.username,
  division: reference(user.division),
  birthdate: user.birthdate,
});

/** Presents a user with the fields of `GET /api/division/{id}/users/` (contract §1). */
export const presentDivisionUser = ({
  id,
  username,
}: Pick<User, 'id' | 'username'>): Static<typeof users.DivisionUser> => ({
  id,
  username,
});

/** Presents a division (contract §4). */
export const presentDivision = ({ id, name, logo, fanpage }: Division): Static<typeof divisions.Division> => ({
  id,
  name,
  logo,
  fanpage,
});

/** Presents the statistics of a division (contract §4). */
export const presentStatistics = ({
  members,
  active,
  groups,
  joined,
  dormant,
}: DivisionStatistics): Static<typeof divisions.DivisionStatistics> => ({
  members,
  active,
  groups: [...groups],
  joined: [...joined],
  dormant,
});

type ShownChange = Static<typeof changes.ChangePage>['results'][number];

const presentChange = (entry: NamedAuditEntry): ShownChange => ({
  id: entry.id,
  at: entry.at,
  action: entry.action,
  author: { id: entry.authorId, name: entry.authorName },
  // No division has entries about the audit trail itself.
  target: { type: entry.targetType as 'user' | 'division', id: entry.targetId, name: entry.targetName },
  changes: Object.fromEntries(Object.entries(entry.changes).map(([field, change]) => [toWireName(field), change])),
});

/** Presents a page of changes (contract §7). `next` becomes a link that repeats the other parameters. */
export const presentChanges = (
  { after, entries, next }: ChangePage,
  link: (position: string) => string,
): Static<typeof changes.ChangePage> => ({
  results: entries.map(presentChange),
  next: next === null ? null : link(encodeChangePosition(next)),
  after: encodeChangePosition(after),
});

/** Presents a pair of tokens (contract §6). */
export const presentSession = (session: Session): Static<typeof sessions.Session> => ({
  access_token: session.accessToken,
  token_type: 'Bearer',
  expires_in: session.expiresIn,
  refresh_token: session.refreshToken,
  refresh_expires_in: session.refreshExpiresIn,
});

/** Presents the caller's sessions (contract §11). */
export const presentOwnSessions = (own: readonly OwnSession[]): Static<typeof sessions.OwnSessionList> =>
  own.map(({ id, createdAt, refreshedAt, userAgent, isCurrent }) => ({
    id,
    created_at: createdAt,
    refreshed_at: refreshedAt,
    user_agent: userAgent,
    current: isCurrent,
  }));

/** Presents a personal access token without its secret (contract §11). */
export const presentPersonalToken = (token: PersonalToken): Static<typeof tokens.PersonalTokenList>[number] => ({
  id: token.id,
  name: token.name,
  read_only: token.isReadOnly,
  created_at: token.createdAt,
  expires_at: token.expiresAt,
  last_used_on: token.lastUsedOn,
});

/** Presents a password link (contract §11). */
export const presentPasswordLink = ({ url, token, expiresAt }: PasswordLink): Static<typeof sessions.PasswordLink> => ({
  url,
  token,
  expires_at: expiresAt,
});

/** Presents the information about the caller and the server (contract §4). */
export const presentInfo = ({ id, username, divisionName, publicIp }: Info): Static<typeof service.Info> => ({
  id,
  username,
  division_name: divisionName,
  public_ip: publicIp,
});

const presentMatch = (match: object): Record<string, string> =>
  Object.fromEntries(Object.entries(match).map(([name, value]) => [toWireName(name), String(value)]));

const presentPermission = ({ isExact: exact, name, scope }: Permissions['actions'][number]) => ({
  name,
  scope: typeof scope === 'string' ? ('all' as const) : scope.map(presentMatch),
  exact,
});

/** Presents what the caller may do (contract §3). The names of actions are those of operations. */
export const presentPermissions = (permissions: Permissions): Static<typeof service.Permissions> => ({
  actions: permissions.actions.map(presentPermission),
  writable_fields: permissions.writableFields
    .map(presentPermission)
    .map((field) => Object.assign(field, { name: toWireName(field.name) })),
  target: permissions.target && {
    decisions: permissions.target.decisions as Static<typeof service.Decision>[],
    writable_fields: permissions.target.writableFields.map(toWireName),
  },
});
