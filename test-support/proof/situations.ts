import { type Body, creationBodies, PASSWORD, rightsBodies, updateBodies } from './bodies.ts';
import type { LaterState } from './later-state.ts';
import type { CedarModel } from './model.ts';
import {
  BY_OPERATOR,
  expectedOutcome,
  type ModelRequest,
  type ModelUser,
  PERSONAL_TOKENS,
  type Stored,
} from './outcome.ts';
import { ABSENT, flagPairs, groupSubsets, OTHER, OWN } from './states.ts';

/** The id of the user who sends the request. */
export const CALLER = '0190a000-0000-7000-8000-0000000000c0';
const TARGET = '0190a000-0000-7000-8000-0000000000c1';
const LEADER = '0190a000-0000-7000-8000-0000000000c2';

/** A state, and a request of {@link CALLER} in it. */
export interface Situation {
  readonly stored: Stored;
  readonly request: ModelRequest;
}

/** An active member of the own division without any group. */
const member: ModelUser = { divisionId: OWN, groups: [], isActive: true, isStaff: false, isSuperuser: false };
const aLeader: ModelUser = { ...member, groups: ['Leader'] };

/** Callers with every combination of groups, flags and activity. */
const callers: readonly ModelUser[] = [true, false].flatMap((isActive) =>
  groupSubsets.flatMap((groups) => flagPairs.map((flags) => ({ ...member, groups, isActive, ...flags }))),
);

/** The other users of a state by id, and the id of the user that the request concerns. */
interface Setting {
  readonly others: Stored['users'];
  readonly target: string;
}

const settings: readonly Setting[] = [
  { others: {}, target: CALLER },
  { others: { [LEADER]: aLeader }, target: CALLER },
  ...[[], ['Leader']].flatMap((groups) =>
    flagPairs.map((flags) => ({ others: { [TARGET]: { ...member, groups, ...flags } }, target: TARGET })),
  ),
  { others: { [TARGET]: { ...member, isActive: false } }, target: TARGET },
  { others: { [TARGET]: { ...member, divisionId: OTHER } }, target: TARGET },
  { others: {}, target: ABSENT },
];

const stored = (caller: ModelUser, others: Stored['users']): Stored => ({
  divisions: [OWN, OTHER],
  users: { [CALLER]: caller, ...others },
});

const requests = (action: string, target: string, bodies: readonly Body[] = [{}]): readonly ModelRequest[] =>
  bodies.map((body) => ({ caller: CALLER, action, target, currentPassword: PASSWORD, body }));

/** Returns the requests about a user, with every body. */
const aboutUser = (target: string): readonly ModelRequest[] => [
  ...requests('getUser', target),
  ...requests('updateUser', target, updateBodies),
  ...requests('deleteUser', target),
  ...requests('endOwnSession', target),
  ...requests('endAccessToken', target),
  ...requests('createPasswordLink', target),
];

/** The requests that do not concern a user, with every body. */
const aboutOthers: readonly ModelRequest[] = [
  ...requests('createUser', OWN, creationBodies),
  ...['listUsers', 'listChanges', 'listGroups', 'getInfo', 'getOwnUser', 'getPermissions', 'listDivisions'].flatMap(
    (action) => requests(action, OWN),
  ),
  ...['listOwnSessions', 'createAccessToken', 'listAccessTokens'].flatMap((action) => requests(action, CALLER)),
  ...['getDivision', 'updateDivision', 'listDivisionUsers', 'getDivisionStatistics'].flatMap((action) =>
    [OWN, OTHER, ABSENT].flatMap((division) => requests(action, division)),
  ),
];

/** Every request of every caller in every setting. */
export const situations: readonly Situation[] = callers.flatMap((caller) => [
  ...settings.flatMap(({ others, target }) =>
    aboutUser(target).map((request) => ({ stored: stored(caller, others), request })),
  ),
  ...aboutOthers.map((request) => ({ stored: stored(caller, { [LEADER]: aLeader }), request })),
]);

/** The same requests, sent with each kind of personal access token. */
export const tokenSituations: readonly Situation[] = situations.flatMap(({ stored, request }) =>
  PERSONAL_TOKENS.map((credential) => ({ stored, request: { ...request, credential } })),
);

const byOperator = (action: string, target: string, bodies?: readonly Body[]): readonly ModelRequest[] =>
  requests(action, target, bodies).flatMap((request) =>
    [false, true].map((force) => Object.assign({}, request, { caller: BY_OPERATOR, force })),
  );

const withoutCurrentPassword = (bodies: readonly Body[]): readonly Body[] =>
  bodies.filter((body) => !('current_password' in body));

/** The actions on a user that only the operator may perform. */
const OPERATIONS = ['moveUser', 'endSessions', 'unlockUser', 'exportUserData', 'eraseUser'];
/** The actions of the operator on the personal access tokens of a user. */
const TOKEN_OPERATIONS = ['createAccessToken', 'listAccessTokens', 'endAccessToken'];
/** The other actions that only the operator may perform, each with its targets. */
const OTHER_OPERATIONS = [
  ...['createDivision', 'listUsersWhoCan', 'pruneAudit'].map((action) => ({ action, target: OWN })),
  ...[OTHER, ABSENT].map((target) => ({ action: 'deleteDivision', target })),
];

const operatorSettings: readonly Setting[] = [
  ...settings.filter(({ target }) => target !== CALLER),
  { others: { [TARGET]: aLeader, [LEADER]: aLeader }, target: TARGET },
  { others: { [TARGET]: aLeader, [LEADER]: { ...member, isActive: false } }, target: TARGET },
];

/** Every request of the operator, and the requests of all users for the actions that only the operator may perform. */
export const operatorSituations: readonly Situation[] = [
  ...operatorSettings.flatMap(({ others, target }) =>
    [
      ...byOperator('updateUser', target, withoutCurrentPassword(updateBodies)),
      ...['getUser', 'deleteUser', 'createPasswordLink', ...OPERATIONS, ...TOKEN_OPERATIONS].flatMap((action) =>
        byOperator(action, target),
      ),
    ].map((request) => ({ stored: { divisions: [OWN, OTHER], users: others }, request })),
  ),
  ...[
    ...[OWN, OTHER, ABSENT].flatMap((target) => byOperator('createUser', target, creationBodies)),
    ...['listUsers', 'listChanges', 'listGroups', 'getInfo', 'getOwnUser', 'getPermissions', 'listDivisions'].flatMap(
      (action) => byOperator(action, OWN),
    ),
    ...['getDivision', 'updateDivision', 'listDivisionUsers', 'getDivisionStatistics'].flatMap((action) =>
      [OWN, OTHER, ABSENT].flatMap((division) => byOperator(action, division)),
    ),
    ...OTHER_OPERATIONS.flatMap(({ action, target }) => byOperator(action, target)),
  ].map((request) => ({ stored: { divisions: [OWN, OTHER], users: { [LEADER]: aLeader } }, request })),
  ...callers.flatMap((caller) => [
    ...settings.flatMap(({ others, target }) =>
      OPERATIONS.flatMap((action) => requests(action, target)).map((request) => ({
        stored: stored(caller, others),
        request,
      })),
    ),
    ...OTHER_OPERATIONS.flatMap(({ action, target }) => requests(action, target)).map((request) => ({
      stored: stored(caller, { [LEADER]: aLeader }),
      request,
    })),
  ]),
];

/** A situation in which the users named in `changed` have changed by the time the transaction begins. */
export interface Race extends Situation {
  readonly later: LaterState;
}

const moved = (user: ModelUser): ModelUser => ({ ...user, divisionId: OTHER });
const withFlags =
  (user: ModelUser) =>
  (flags: (typeof flagPairs)[number]): ModelUser => ({ ...user, ...flags });
/** What a caller can change into: every other standing, in either division, or deleted. */
const laterCallers: readonly (ModelUser | undefined)[] = [...callers, ...callers.map(moved), undefined];
/** Returns what a target can change into. */
const laterTargets = (target: ModelUser): readonly (ModelUser | undefined)[] => {
  const present = flagPairs.map(withFlags(target));
  return [...present, ...present.map(moved), { ...target, isActive: false }, { ...target, groups: [] }, undefined];
};

const writes = (target: string): readonly ModelRequest[] => [
  ...requests('updateUser', target, rightsBodies),
  ...requests('deleteUser', target),
  ...requests('createPasswordLink', target),
];
const otherWrites: readonly ModelRequest[] = [
  ...requests('createUser', OWN, creationBodies.slice(0, 1)),
  ...requests('updateDivision', OWN),
];

const withLater = (
  { users, ...rest }: Stored,
  request: ModelRequest,
  changes: Readonly<Record<string, ModelUser | undefined>>,
): Race => {
  const next = Object.entries({ ...users, ...changes }).filter(([, user]) => user !== undefined);
  const state = { ...rest, users: Object.fromEntries(next) as Stored['users'] };
  return { stored: { ...rest, users }, request, later: { state, changed: Object.keys(changes) } };
};

const activeCallers = callers.filter(({ isActive }) => isActive);
const isPlainLeader = ({ groups }: ModelUser): boolean => groups.length === 1 && groups[0] === 'Leader';

/** Returns the changes between a request and its transaction: of the caller or of the target; for plain Leaders, also of both. */
const changesOf = (caller: ModelUser, target: ModelUser | undefined) => {
  const byCaller = laterCallers.map((later) => ({ [CALLER]: later }));
  if (!target) return byCaller;
  const byTarget = laterTargets(target).map((later) => ({ [TARGET]: later }));
  const byBoth = isPlainLeader(caller)
    ? byCaller.flatMap((one) => byTarget.map((other) => ({ ...one, ...other })))
    : [];
  return [...byCaller, ...byTarget, ...byBoth];
};

const racesIn = (setting: Setting, requests: readonly ModelRequest[]): readonly Race[] =>
  activeCallers.flatMap((caller) => {
    const before = stored(caller, { [LEADER]: aLeader, ...setting.others });
    const changes = changesOf(caller, setting.others[TARGET]);
    return requests.flatMap((request) => changes.map((change) => withLater(before, request, change)));
  });

const raceSettings: readonly Setting[] = [
  { others: {}, target: CALLER },
  { others: { [TARGET]: aLeader }, target: TARGET },
  { others: { [TARGET]: { ...aLeader, isStaff: true } }, target: TARGET },
];

/** Every write of every active caller, with every change of the caller and of the target in between. */
export const makeRaces = (): readonly Race[] => [
  ...raceSettings.flatMap((setting) => racesIn(setting, writes(setting.target))),
  ...racesIn({ others: {}, target: OWN }, otherWrites),
];

/** Every write of the operator, with every change of the target in between, and with the loss of the other Leader. */
export const makeOperatorRaces = (): readonly Race[] => {
  const before: Stored = { divisions: [OWN, OTHER], users: { [TARGET]: aLeader, [LEADER]: aLeader } };
  const losses = [{ [LEADER]: member }, { [LEADER]: undefined }];
  const changes = [...laterTargets(aLeader).map((later) => ({ [TARGET]: later })), ...losses];
  return [
    ...byOperator('updateUser', TARGET, withoutCurrentPassword(rightsBodies)),
    ...['deleteUser', 'createPasswordLink'].flatMap((action) => byOperator(action, TARGET)),
  ].flatMap((request) => changes.map((change) => withLater(before, request, change)));
};

/** Returns the outcome of a race: the first refusal, else the outcome in the later state. A deleted target is 404. */
export const expectedRaceOutcome = (model: CedarModel, { stored, request, later }: Race): string => {
  const before = expectedOutcome(model, stored, request);
  if (before !== 'allowed') return before;
  const id = request.target ?? '';
  const isGone = stored.users[id] !== undefined && later.state.users[id] === undefined;
  return isGone ? 'not_found' : expectedOutcome(model, later.state, request);
};
