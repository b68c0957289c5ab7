import { CHANGEABLE_USER_FIELDS, type SentUserChanges } from '../fields/user-fields.ts';
import { isAdministrator, parseUuid } from '../model/user.ts';
import { anyOf, type Rule, restrict, rule, rules } from './rules.ts';
import { type FieldTarget, orOperator, type PolicyRow, rowsFor, targetTypes, type UserTarget } from './targets.ts';

const { authenticated, self, leader, guest, divisionMember, administrator, noUser } = rules;
const { user, division, service } = targetTypes;

/** Makes a row about a user, whose existence is known to themself and to those who may read the users of the division. */
export const onUser = rowsFor(user, anyOf(self, leader, guest));

/** Makes a row about a division, whose existence is known to its members and to Administrators. */
export const onDivision = rowsFor(division, anyOf(divisionMember, administrator));

/** Makes a row about sessions or tokens, whose target is their user. Only that user may know that they exist. */
export const onSession = rowsFor(user, self);

/** Makes a row about the service itself, whose existence is known to every authenticated caller. */
export const onService = rowsFor(service, authenticated);

const leaderWithRightsOfTarget = restrict(
  leader,
  `${leader.description} (who must be an Administrator if the user is one)`,
  (actor, user: UserTarget) => !isAdministrator(user) || isAdministrator(actor),
);
const linkIssuer = restrict(
  leaderWithRightsOfTarget,
  `another user who is ${leader.description} (and an Administrator if the user is one)`,
  (actor, user) => actor.id !== user.id,
);

/** Who may perform which action, one row per action. Actions that no row allows are denied. See contract §3 and §10. */
export const policy = Object.freeze({
  listUsers: onDivision(anyOf(leader, guest)),
  getUser: onUser(anyOf(self, leader, guest)),
  createUser: orOperator(onDivision(leader)),
  updateUser: orOperator(onUser(anyOf(self, leader))),
  deleteUser: orOperator(onUser(leader)),
  listDivisions: onService(administrator),
  getDivision: onDivision(anyOf(leader, guest)),
  updateDivision: orOperator(onDivision(leader)),
  listDivisionUsers: onDivision(anyOf(leader, guest)),
  getDivisionStatistics: onDivision(anyOf(leader, guest)),
  listChanges: onDivision(leader),
  listGroups: onService(authenticated),
  getInfo: onService(authenticated),
  getOwnUser: onService(authenticated),
  getPermissions: onService(authenticated),
  listOwnSessions: onSession(self),
  endOwnSession: onSession(self),
  createAccessToken: orOperator(onSession(self)),
  listAccessTokens: orOperator(onSession(self)),
  endAccessToken: orOperator(onSession(self)),
  createPasswordLink: orOperator(onUser(linkIssuer)),
  moveUser: orOperator(onUser(noUser)),
  endSessions: orOperator(onUser(noUser)),
  unlockUser: orOperator(onUser(noUser)),
  exportUserData: orOperator(onUser(noUser)),
  eraseUser: orOperator(onUser(noUser)),
  createDivision: orOperator(onService(noUser)),
  deleteDivision: orOperator(onDivision(noUser)),
  listUsersWhoCan: orOperator(onService(noUser)),
  pruneAudit: orOperator(onService(noUser)),
});

/** A kind of target. */
export type TargetKind = keyof typeof targetTypes;

/** Returns the kind of an action's targets, by their attributes; undefined if no row has the action. */
export const targetKindOf = (action: string): TargetKind | undefined => {
  if (!Object.hasOwn(policy, action)) return undefined;
  const { attributes } = policy[action as keyof typeof policy].readTarget;
  const hasAll = (kind: TargetKind) => Object.keys(targetTypes[kind].attributes).every((name) => name in attributes);
  return (Object.keys(targetTypes) as TargetKind[]).find(hasAll);
};

/**
 * Actions that need no authentication: login, refresh, logout, the public keys, and setting a password by a link. See
 * contract §6 and §11.
 */
export const publicActions = Object.freeze([
  'logIn',
  'refreshSession',
  'endSession',
  'listKeys',
  'redeemPasswordLink',
] as const);

const profile = anyOf(self, leader);
const unchangedDivision: Rule<FieldTarget> = rule(
  `${profile.description}, and only with the id of that division`,
  (actor, field) => {
    const id = typeof field.value === 'string' ? parseUuid(field.value) : undefined;
    // A value that is no id is a fault of the field, not a missing right.
    return profile(actor, field) && field.value !== undefined && (id === undefined || id === field.divisionId);
  },
);

/** Which users may write which field of a user that they may update or create. See contract §3. */
export const fieldRights = Object.freeze({
  username: profile,
  email: profile,
  firstName: profile,
  lastName: profile,
  birthdate: profile,
  password: anyOf(self, leaderWithRightsOfTarget),
  currentPassword: profile,
  groups: leader,
  isActive: leader,
  division: unchangedDivision,
} satisfies Record<keyof SentUserChanges, Rule<FieldTarget>>);

/** The fields of a user that the operator may write. See contract §10. */
export const operatorFields: readonly string[] = Object.freeze([...CHANGEABLE_USER_FIELDS, 'password']);

/** The actions of the operator alone, which the API does not have. */
export const operatorActions: readonly string[] = Object.freeze(
  Object.entries<PolicyRow<never>>(policy).flatMap(([action, { allows }]) => (allows === noUser ? [action] : [])),
);
