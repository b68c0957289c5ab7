import type { SentUserChanges } from '../fields/user-checks.ts';
import { isAdministrator, parseUuid } from '../model/user.ts';
import {
  anyOf,
  type FieldTarget,
  type InDivision,
  type Rule,
  readInDivision,
  readService,
  readUserTarget,
  row,
  rule,
  rules,
  type UserTarget,
} from './rules.ts';

const { signedIn, self, leader, guest, belongs, administrator } = rules;

/** A row about a user, who exists for themself and for those who may read the users of the division. */
export const onUser = <Allows extends Rule<UserTarget>>(allows: Allows) =>
  row(allows, anyOf<UserTarget>(self, leader, guest), readUserTarget);

/** A row about a division, which exists for its members and for Administrators. */
export const onDivision = <Allows extends Rule<InDivision>>(allows: Allows) =>
  row(allows, anyOf<InDivision>(belongs, administrator), readInDivision);

/** A row about a session, whose target is its user. It exists for that user alone. */
export const onSession = <Allows extends Rule<UserTarget>>(allows: Allows) => row(allows, self, readUserTarget);

/** A row about the service itself, which exists for every caller who is signed in. */
export const onService = <Allows extends Rule<unknown>>(allows: Allows) => row(allows, signedIn, readService);

const leaderAboveTarget: Rule<UserTarget> = rule(
  `${leader.description} (for an Administrator: one who is an Administrator too)`,
  (actor, user) => leader(actor, user) && (!isAdministrator(user) || isAdministrator(actor)),
);
const linkIssuer: Rule<UserTarget> = rule(
  `${leaderAboveTarget.description}, not for themself`,
  (actor, user) => actor.id !== user.id && leaderAboveTarget(actor, user),
);

/**
 * Who may do what: the tables of the specification's section 5 and what the contract's section 3 adds, a row an action.
 * What no row allows is denied.
 */
export const policy = Object.freeze({
  listUsers: onDivision(anyOf(leader, guest)),
  getUser: onUser(anyOf<UserTarget>(self, leader, guest)),
  createUser: onDivision(leader),
  updateUser: onUser(anyOf<UserTarget>(self, leader)),
  deleteUser: onUser(leader),
  listDivisions: onService(administrator),
  getDivision: onDivision(anyOf(leader, guest)),
  updateDivision: onDivision(leader),
  listDivisionUsers: onDivision(anyOf(leader, guest)),
  listGroups: onService(signedIn),
  getInfo: onService(signedIn),
  listOwnSessions: onService(signedIn),
  endOwnSession: onSession(self),
  createPasswordLink: onUser(linkIssuer),
});

/**
 * What needs no caller at all: the ways in and out, and the keys that others check tokens with. Contract, sections 6 and 11.
 */
export const publicActions = Object.freeze([
  'logIn',
  'refreshSession',
  'endSession',
  'listKeys',
  'redeemPasswordLink',
] as const);

const profile = anyOf<UserTarget>(self, leader);
const unchangedDivision: Rule<FieldTarget> = rule(
  `${profile.description}, with that division as its value`,
  (actor, field) => {
    const id = typeof field.value === 'string' ? parseUuid(field.value) : undefined;
    // What is no id at all is a fault of the field, not of the caller's rights.
    return profile(actor, field) && (id === undefined || id === field.divisionId);
  },
);

/** Who may write which field of a user they may update or create. Contract, section 3. */
export const fieldRights = Object.freeze({
  username: profile,
  email: profile,
  firstName: profile,
  lastName: profile,
  birthdate: profile,
  password: anyOf<UserTarget>(self, leaderAboveTarget),
  currentPassword: profile,
  groups: leader,
  isActive: leader,
  division: unchangedDivision,
} satisfies Record<keyof SentUserChanges, Rule<FieldTarget>>);
