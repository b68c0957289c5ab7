// Uses the package like another service. test/published-packages.runtimes.test.ts compiles and runs it outside the workspace.
import {
  type Actor,
  actorFromClaims,
  anyOf,
  can,
  DomainError,
  type DomainErrorCode,
  defineTarget,
  explain,
  forbiddenFields,
  isInScope,
  makeActor,
  makeCan,
  makeExplain,
  makeFieldRights,
  makeScope,
  makeUseCases,
  onUser,
  type Ports,
  policy,
  rowsFor,
  rules,
  type Scope,
  scope,
  scopedRule,
  scopeToSql,
  type TargetOfType,
  type User,
  userRules,
  where,
} from '@chapter/domain';
import {
  aDivision,
  aLeader,
  aTarget,
  aUser,
  decisionDiff,
  decisionMatrix,
  expectScopeEqualsCan,
  fieldRows,
  makeWorld,
  storeUser,
} from '@chapter/domain/testing';

const north = aDivision();
const [lead, member] = [aLeader().of(north), aUser().of(north)];
const found: Record<string, unknown> = {};

// The claims of a verified token.
const claims: unknown = {
  sub: lead.id,
  username: lead.username,
  division_id: north.id,
  groups: lead.groups,
  is_staff: false,
  is_superuser: false,
};
const actor: Actor | null = actorFromClaims(claims);
found['can'] = can(actor, 'updateUser', member);
found['explain'] = explain(actor, 'listDivisions', {}).reason;
// @ts-expect-error no row has this name
found['denied'] = can(actor, 'closeDivision', north);
// @ts-expect-error a user is more than an id
void (() => can(actor, 'updateUser', { id: member.id }));

// Rows that the actor may read.
const readable: Scope = scope(actor, 'listUsers');
found['scope'] = scopeToSql(readable, { divisionId: 'p.division_id' }).text;

// The use cases with minimal ports.
const world: Ports & ReturnType<typeof makeWorld> = makeWorld();
for (const user of [lead, member]) await storeUser(world, user);
const useCases = makeUseCases(world);
const created: User = await useCases.createUser(lead, () => ({
  fields: { username: 'ada', password: 'an uncommon one', groups: ['Guest'] },
}));
found['created'] = [created.username, created.division.id === north.id, created.groups];

// Errors and field rules.
try {
  await useCases.deleteUser(member, lead.id, () => ({}));
} catch (error) {
  const code: DomainErrorCode | false = error instanceof DomainError && error.code;
  found['refused'] = code;
}
found['fields'] = actor && forbiddenFields(actor, member, { groups: [], division: 'x' }).length;
found['usernames'] = userRules.username.max;

// Additional rules.
const own = { ...policy, printBadge: onUser(anyOf(rules.self, rules.guest)) };
found['own'] = makeExplain(own)(lead, 'printBadge', member).outcome;
found['ownScope'] = [lead, member].map((each) => isInScope(makeScope(own)(each, 'printBadge'), member));
found['matrix'] = decisionMatrix({ printBadge: own.printBadge }, { lead, member }, { member }).split('\n').length;

// Own things, and own properties of actors.
interface Resident extends Actor {
  readonly city: string;
}
const event = defineTarget({ id: 'uuid', ownerId: 'uuid', city: 'text or null', isOpen: 'boolean' });
const local = scopedRule('someone of the city', { city: { actor: 'city' } });
const events = {
  join: rowsFor(event, rules.authenticated)(anyOf(rules.owner, where(local, 'someone of the city', { isOpen: true }))),
};
const resident: Resident = makeActor({ ...lead, city: 'Ulm' });
const party: TargetOfType<typeof event> = aTarget(event, { city: 'Ulm', isOpen: true });
found['ownThings'] = [
  makeCan(events)(resident, 'join', { ownerId: party.ownerId, city: party.city, isOpen: party.isOpen }),
  makeScope(events)(resident, 'join').length,
  expectScopeEqualsCan(events, { resident }) > 0,
  makeFieldRights(event, { city: rules.owner }).writableFields(resident, party).length,
];
const later = { ...events, ...fieldRows(event, { city: rules.owner }) };
found['questions'] = decisionDiff(events, later).map(({ who }) => who);
// @ts-expect-error the rules read the city of an actor
void (() => makeCan(events)(lead, 'join', party));
// @ts-expect-error an event has no division
void (() => rowsFor(event, rules.authenticated)(rules.leader));

export default found;
