import type {
  Division,
  DivisionReference,
  Info,
  ListedUser,
  OwnSession,
  PasswordLink,
  PersonalToken,
  Session,
  User,
} from '@chapter/domain';
import type { Static } from 'typebox';
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
export const presentPasswordLink = ({ token, expiresAt }: PasswordLink): Static<typeof sessions.PasswordLink> => ({
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
