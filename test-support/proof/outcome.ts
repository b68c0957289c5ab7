import type { CedarValueJson, EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import { type CedarDecision, type CedarModel, cedarActions } from './model.ts';

/** A stored user, with the attributes that the policies use. */
export interface ModelUser {
  readonly divisionId: string | null;
  readonly groups: readonly string[];
  readonly isActive: boolean;
  readonly isStaff: boolean;
  readonly isSuperuser: boolean;
}

/** The stored state: the ids of the divisions, and the users by id. */
export interface Stored {
  readonly divisions: readonly string[];
  readonly users: Readonly<Record<string, ModelUser>>;
}

/** The kinds of personal access tokens. */
export const PERSONAL_TOKENS = ['token', 'read-only token'] as const;

/** A kind of token by which the model distinguishes callers. */
type Credential = 'session' | (typeof PERSONAL_TOKENS)[number];

/** The caller of a request of the operator, who has no id. */
export const BY_OPERATOR = 'operator';

/** A request. `caller` is the id of the user in the token, {@link BY_OPERATOR}, or null without a token. */
export interface ModelRequest {
  readonly caller: string | null;
  readonly action: string;
  /**
   * The id of the user or division. If the path has no id: the caller's own division. Ignored for the service. The id of a
   * session or personal access token is the id of its user, who has only one.
   */
  readonly target: string | null;
  /** The members of the body, by the names of the API. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Whether the operator forces the request. */
  readonly force?: boolean;
  /** The kind of token that identifies the caller; a session's unless given. */
  readonly credential?: Credential;
  /** The target's current password. */
  readonly currentPassword?: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CHAPTER: TypeAndId = { type: 'Chapter', id: 'chapter' };
const divisionUid = (id: string) => ({ type: 'Division', id });
/** The id of a user to be created. */
const NEWCOMER = 'newcomer';

const isActiveLeader = ({ isActive, groups }: ModelUser): boolean => isActive && groups.includes('Leader');

const userEntity = (users: Stored['users'], id: string): readonly EntityJson[] => {
  const user = users[id];
  if (!user) return [];
  const { divisionId, groups, isActive, isStaff, isSuperuser } = user;
  const others = Object.entries(users).filter(([other, { divisionId: of }]) => other !== id && of === divisionId);
  const isLastLeader = isActiveLeader(user) && !others.some(([, other]) => isActiveLeader(other));
  return [
    {
      uid: { type: 'User', id },
      parents: groups.map((group) => ({ type: 'Group', id: group })),
      attrs: {
        ...(divisionId !== null && { division: { __entity: divisionUid(divisionId) } }),
        is_active: isActive,
        is_staff: isStaff,
        is_superuser: isSuperuser,
        is_last_leader: isLastLeader,
        has_other_members: others.length > 0,
      },
    },
  ];
};

/** The session of a user. */
const sessionEntity = (users: Stored['users'], id: string): EntityJson => ({
  uid: { type: 'Session', id },
  parents: [],
  attrs: users[id] ? { user: { __entity: { type: 'User', id } } } : {},
});

const contextOf = (field: string, value: unknown, { body = {}, currentPassword }: ModelRequest) => {
  const context: Record<string, CedarValueJson> = {};
  if (field === 'password') {
    const given = body['current_password'];
    context['current_password'] = given === undefined ? 'absent' : given === currentPassword ? 'right' : 'wrong';
  }
  const id = String(value).toLowerCase();
  if (field === 'division' && UUID.test(id)) context['value'] = { __entity: divisionUid(id) };
  return context;
};

/** Actions after which the user is no longer a member of the division. */
const ENDS_MEMBERSHIP: ReadonlySet<string> = new Set(['deleteUser', 'eraseUser', 'moveUser']);

const endsLeadership = ({ action, body = {} }: ModelRequest): boolean =>
  ENDS_MEMBERSHIP.has(action) ||
  (action === 'updateUser' &&
    (body['is_active'] === false || (Array.isArray(body['groups']) && !body['groups'].includes('Leader'))));

type Context = Readonly<Record<string, CedarValueJson>>;

const principalOf = (caller: string | null): TypeAndId => {
  if (caller === null) return { type: 'Anonymous', id: 'anonymous' };
  return { type: caller === BY_OPERATOR ? 'Operator' : 'User', id: caller };
};

/** Makes a function that returns a model's decisions about the caller of a request. */
const makeDecide =
  (model: CedarModel, { divisions, users }: Stored, { caller }: ModelRequest) =>
  (action: string, resource: TypeAndId, context: Context = {}, more: Stored['users'] = {}): CedarDecision => {
    const principal = principalOf(caller);
    // The id of a session is that of its user.
    const ids = new Set(
      [principal, resource].filter(({ type }) => type === 'User' || type === 'Session').map(({ id }) => id),
    );
    const entities = [
      ...divisions.map((id) => ({ uid: divisionUid(id), attrs: {}, parents: [CHAPTER] })),
      ...[...ids].flatMap((id) => userEntity({ ...users, ...more }, id)),
      ...(resource.type === 'Session' ? [sessionEntity(users, resource.id)] : []),
    ];
    return model.decide({ principal, action, resource, context, entities });
  };

const resourceOf = ({ action, target }: ModelRequest): TypeAndId => {
  const type = cedarActions[action];
  if (type === undefined) throw new Error(`the Cedar schema has no action ${action}`);
  return type === 'Chapter' ? CHAPTER : { type, id: target ?? 'absent' };
};

/** Returns whether a model allows the action of a request, regardless of its body. */
export const expectedDecision = (model: CedarModel, stored: Stored, request: ModelRequest): boolean =>
  makeDecide(model, stored, request)(request.action, resourceOf(request)).isAllowed;

/**
 * Returns the outcome of a request by a model, as far as rights decide it: `allowed`, or the code of the refusal with the
 * refused fields. The checks run in the contract's order (contract §1).
 */
export const expectedOutcome = (model: CedarModel, stored: Stored, request: ModelRequest): string => {
  const { action, target, body = {}, credential = 'session' } = request;
  const decide = makeDecide(model, stored, request);
  if (!decide('authenticate', CHAPTER).isAllowed) return 'unauthenticated';
  const useCredential = (setsPassword: boolean) =>
    decide('useCredential', CHAPTER, { credential, operation: action, sets_password: setsPassword });
  const credentialDecision = useCredential(false);
  if (!credentialDecision.isAllowed) return credentialDecision.refusal ?? 'forbidden';
  const resource = resourceOf(request);
  if (!decide(action, resource).isAllowed) return decide('knowOf', resource).isAllowed ? 'forbidden' : 'not_found';

  const bodyDecision = useCredential(action === 'updateUser' && 'password' in body);
  if (!bodyDecision.isAllowed) return bodyDecision.refusal ?? 'forbidden';

  // A new user belongs to the division that the request creates them in.
  const blank = { divisionId: target, groups: [], isActive: true, isStaff: false, isSuperuser: false };
  const [user, more] =
    action === 'createUser' ? [{ type: 'User', id: NEWCOMER }, { [NEWCOMER]: blank }] : [resource, {}];
  const refused = Object.entries(body)
    .filter(([name]) => name !== 'current_password')
    .map(([name, value]) => ({
      name,
      decision: decide(`write ${name}`, user, contextOf(name, value, request), more),
    }))
    .filter(({ decision }) => !decision.isAllowed);
  const forbidden = refused.filter(({ decision }) => decision.refusal === undefined).map(({ name }) => name);
  if (forbidden.length > 0) return describeOutcome('field_forbidden', forbidden);
  const faults = refused.map(({ name, decision: { field = name, refusal } }) => `${field} ${refusal}`);
  if (faults.length > 0) return describeOutcome('validation_failed', faults);
  if (!endsLeadership(request)) return 'allowed';
  const leaving = { stays: !ENDS_MEMBERSHIP.has(action), force: request.force === true };
  const { isAllowed, refusal } = decide('endLeadership', user, leaving);
  return isAllowed ? 'allowed' : (refusal ?? 'conflict');
};

/** Returns an outcome with its fields in alphabetical order. */
export const describeOutcome = (code: string, fields: readonly string[]): string =>
  fields.length === 0 ? code : `${code}: ${fields.toSorted().join(', ')}`;
