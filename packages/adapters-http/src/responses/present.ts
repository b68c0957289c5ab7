import type {
  ChangePage,
  DivisionReference,
  Session as IssuedSession,
  ListedUser,
  NamedAuditEntry,
  OwnSession,
  Permissions,
  PersonalToken,
  Revision,
  User,
} from '@chapter/domain/api';
import type { Static, TObject, TProperties } from 'typebox';
import { toDomainName, toWireName, type WithDomainNames } from '../errors/faults.ts';
import { encodeChangePosition } from '../lists/change-parameters.ts';
import { entityTag } from '../requests/headers.ts';
import type * as changes from '../schemas/change.ts';
import { PersonalTokenList } from '../schemas/personal-token.ts';
import type * as service from '../schemas/service.ts';
import { OwnSessionList, Session } from '../schemas/session.ts';
import type * as users from '../schemas/user.ts';

/** Makes a function that presents the properties of a schema, which a domain value has under their domain names. */
export const presentAs = <P extends TProperties>({ properties }: TObject<P>) => {
  type Shown = Static<TObject<P>>;
  const names = Object.keys(properties).map((wire) => [wire, toDomainName(wire)] as const);
  return (value: WithDomainNames<{ [Wire in keyof Shown]: Readonly<Shown[Wire]> }>): Shown =>
    Object.fromEntries(names.map(([wire, name]) => [wire, value[name as keyof typeof value]])) as Shown;
};

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

const presentTokens = presentAs(Session);

/** Presents a pair of tokens (contract §6). */
export const presentSession = (session: IssuedSession) => presentTokens({ ...session, tokenType: 'Bearer' });

const presentStoredSession = presentAs(OwnSessionList.items);

/** Presents one of the caller's sessions (contract §11). */
export const presentOwnSession = (session: OwnSession) =>
  presentStoredSession({ ...session, current: session.isCurrent });

const presentToken = presentAs(PersonalTokenList.items);

/** Presents a personal access token without its secret (contract §11). */
export const presentPersonalToken = (token: PersonalToken) => presentToken({ ...token, readOnly: token.isReadOnly });

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

/** Returns the response with a record that has a revision. */
export const withRevision = <T extends { readonly revision: Revision }, Body>(
  present: (record: T) => Body,
  record: T,
) => ({ body: present(record), etag: entityTag(record.revision) });
