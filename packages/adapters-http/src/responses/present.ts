import type {
  Division,
  DivisionReference,
  Info,
  ListedUser,
  OwnSession,
  PasswordLink,
  Session,
  User,
} from '@chapter/domain';
import type { Static } from 'typebox';
import type * as divisions from '../schemas/division.ts';
import type * as service from '../schemas/service.ts';
import type * as sessions from '../schemas/session.ts';
import type * as users from '../schemas/user.ts';

const reference = ({ id, name }: DivisionReference): Static<typeof users.DivisionReference> => ({ id, name });

/** A user with all fields. */
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

/** A user with the fields of the specification's section 4.4. */
export const presentUserSummary = (user: User): Static<typeof users.UserSummary> => ({
  id: user.id,
  username: user.username,
  division: reference(user.division),
  birthdate: user.birthdate,
});

/** A user with the fields of the specification's section 4.11. */
export const presentDivisionUser = ({
  id,
  username,
}: Pick<User, 'id' | 'username'>): Static<typeof users.DivisionUser> => ({
  id,
  username,
});

/** A division. */
export const presentDivision = ({ id, name, logo, fanpage }: Division): Static<typeof divisions.Division> => ({
  id,
  name,
  logo,
  fanpage,
});

/** A pair of tokens. */
export const presentSession = (session: Session): Static<typeof sessions.Session> => ({
  access_token: session.accessToken,
  token_type: 'Bearer',
  expires_in: session.expiresIn,
  refresh_token: session.refreshToken,
  refresh_expires_in: session.refreshExpiresIn,
});

/** The caller's sessions. */
export const presentOwnSessions = (own: readonly OwnSession[]): Static<typeof sessions.OwnSessionList> =>
  own.map(({ id, createdAt, refreshedAt, userAgent, isCurrent }) => ({
    id,
    created_at: createdAt,
    refreshed_at: refreshedAt,
    user_agent: userAgent,
    current: isCurrent,
  }));

/** A password link. */
export const presentPasswordLink = ({ token, expiresAt }: PasswordLink): Static<typeof sessions.PasswordLink> => ({
  token,
  expires_at: expiresAt,
});

/** What a caller learns of themself and of the service. */
export const presentInfo = ({ id, username, divisionName, publicIp }: Info): Static<typeof service.Info> => ({
  id,
  username,
  division_name: divisionName,
  public_ip: publicIp,
});
