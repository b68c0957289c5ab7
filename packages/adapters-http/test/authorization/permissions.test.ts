import {
  type Action,
  type Actor,
  type AnyRule,
  actorOf,
  asTarget,
  credentialRefusal,
  explain,
  fieldRights,
  isInScope,
  OPERATOR,
  operatorActions,
  policy,
  type Scope,
  snakeCase,
  type TargetKind,
  targetKindOf,
  type User,
  userAudit,
  writableFields,
} from '@chapter/domain/api';
import { PASSWORD } from '../../../../test-support/proof/bodies.ts';
import { contractModel } from '../../../../test-support/proof/model.ts';
import {
  expectedOutcome,
  type ModelUser,
  PERSONAL_TOKENS,
  type Stored,
} from '../../../../test-support/proof/outcome.ts';
import { compare } from '../../../../test-support/proof/report.ts';
import { shareOf } from '../../../../test-support/proof/share.ts';
import { ABSENT, flagPairs, groupSubsets, NO_FLAGS } from '../../../../test-support/proof/states.ts';
import { makeServedChapter, type ServedChapter } from '../support/chapter.ts';

const CREDENTIALS = ['session', ...PERSONAL_TOKENS] as const;
const FIELDS = ['username', 'email', 'first_name', 'last_name', 'birthdate', 'password', 'groups', 'is_active'];

interface Decision {
  readonly action: Action;
  readonly outcome: string;
  readonly reason: string;
}

interface Right {
  readonly name: string;
  readonly scope: Scope;
  readonly exact: boolean;
}

interface Target {
  readonly kind: Exclude<TargetKind, 'service'>;
  readonly id: string;
  /** Null if it does not exist. */
  readonly user?: User | null;
}

const modelOf = (users: readonly User[], divisions: Stored['divisions']): Stored => ({
  divisions,
  users: Object.fromEntries(
    users.map(({ division, groups, id, isActive, isStaff, isSuperuser }): [string, ModelUser] => [
      id,
      { divisionId: division.id, groups, isActive, isStaff, isSuperuser },
    ]),
  ),
});

/** Returns the attributes of a target by the names of the API, in which scopes are written. */
const wireAttributes = ({ id, kind, user }: Target): object =>
  kind === 'division' ? { division_id: id } : { id, division_id: user?.division.id };

const API_ACTIONS = (Object.keys(policy) as Action[]).filter((action) => !operatorActions.includes(action));

const isScoped = (allows: AnyRule): boolean => 'scope' in allows;

/** Returns the targets of the conditions of a rule for an actor, who has a value for each. */
const reachOf = ({ clauses }: AnyRule, actor: Actor): Scope => {
  const matches = clauses?.flatMap(({ equalities, holds }) => {
    const values = equalities.map(({ attribute, operand, property }) => [
      attribute,
      property === null ? operand : actor[property as 'id'],
    ]);
    return holds(actor as never) ? JSON.stringify(Object.fromEntries(values)) : [];
  });
  if (!matches || matches.includes('{}')) return 'all';
  return matches.length === 0 ? 'none' : [...new Set(matches)].map((match) => JSON.parse(match));
};

/**
 * Returns the right of an actor by a rule as the API must write it; none if it reaches nothing. A rule that can be listed is exact,
 * another one if only alternatives that can be listed reach anything.
 */
const rightsBy = (name: string, allows: AnyRule, actor: Actor): readonly Right[] => {
  const reach = reachOf(allows, actor);
  if (reach === 'none') return [];
  const exact =
    isScoped(allows) ||
    (allows.alternatives ?? [allows]).every((each) => isScoped(each) || reachOf(each, actor) === 'none');
  const ofWire = (match: object) =>
    Object.fromEntries(Object.entries(match).map(([key, value]) => [snakeCase(key), value]));
  return [{ name, scope: typeof reach === 'string' ? reach : reach.map(ofWire), exact }];
};

describe('What a caller may do, over HTTP,', () => {
  let chapter: ServedChapter;
  before(async () => {
    chapter = await makeServedChapter();
  });
  after(() => chapter.close());

  /** Admits a caller with each combination of groups and flags, and every user that decisions tell apart. */
  const admitAll = async () => {
    const { admit, north, south, world } = chapter;
    const callers: User[] = [];
    for (const groups of groupSubsets) {
      for (const flags of flagPairs) callers.push(await admit(`caller-${callers.length}`, groups, flags));
    }
    const others = [await admit('inactive', [], { isActive: false }), await admit('far', ['User'], NO_FLAGS, south)];
    for (const flags of flagPairs) others.push(await admit(`other-${others.length}`, ['User'], flags));
    const targetsOf = (caller: User): readonly Target[] => [
      ...[caller, ...others].map((user): Target => ({ kind: 'user', id: user.id, user })),
      { kind: 'user', id: ABSENT, user: null },
      ...[north.id, south.id, ABSENT].map((id): Target => ({ kind: 'division', id })),
    ];
    const stored = modelOf([...callers, ...others], [north.id, south.id]);
    /** Returns the headers of a request with a kind of credential. */
    const credentialOf = async (caller: User, kind: (typeof CREDENTIALS)[number]) => {
      if (kind === 'session') return { authorization: `Bearer ${await chapter.tokenOf(caller)}` };
      const { digest, token } = world.personalTokenFormat.issue();
      const isReadOnly = kind === 'read-only token';
      const expiresAt = '2026-12-31T00:00:00.000Z';
      const created = { id: world.ids.next(), userId: caller.id, name: kind, digest, isReadOnly, expiresAt };
      await world.personalTokens.create(OPERATOR, created, ({ user }) => userAudit('createAccessToken', user));
      return { authorization: `Bearer ${token}` };
    };
    return { callers, targetsOf, stored, credentialOf };
  };

  it('equals the policy and the contract in Cedar, for every caller, credential and target', () =>
    compare('answers about permissions compared with the policy and with Cedar', 12_000, async ({ same }) => {
      const { callers, credentialOf, stored, targetsOf } = await admitAll();
      const cases = callers.flatMap((caller) => CREDENTIALS.map((credential) => ({ caller, credential })));
      const comparedWithCedar = new Set(shareOf(cases, 5));
      for (const one of cases) {
        const { caller, credential } = one;
        const headers = await credentialOf(caller, credential);
        const ask = (query: string) => chapter.send('GET', `/api/auth/permissions/${query}`, { headers });
        const { body: general } = await ask('');
        const rights = general as { actions: readonly Right[]; writable_fields: readonly Right[] };
        const actor = {
          ...actorOf(caller),
          ...(credential !== 'session' && { token: { id: ABSENT, isReadOnly: credential === 'read-only token' } }),
        };
        same(general.target, null);

        const outcomeOf = (action: string, { id }: Target, body = {}) => {
          const request = { caller: caller.id, action, target: id, credential, body, currentPassword: PASSWORD };
          return expectedOutcome(contractModel, stored, request);
        };
        /** Compares a right with the outcome for a target: an exact one applies to its scope, another to no more. */
        const agrees = (right: Right | undefined, target: Target, isAllowed: boolean): void => {
          const isWithin = right !== undefined && isInScope(right.scope, wireAttributes(target));
          same(right?.exact === false && isWithin ? true : isAllowed, isWithin, { ...one, right, target });
        };
        const [actions, fields] = [API_ACTIONS, Object.keys(fieldRights).filter((field) => field !== 'division')];
        const acted = actions.filter((action) => credentialRefusal(actor, action) === null);
        same(
          rights.actions,
          acted.flatMap((action) => rightsBy(action, policy[action].allows, actor)),
          one,
        );
        const changed = fields.filter((field) => credentialRefusal(actor, 'updateUser', { [field]: '' }) === null);
        same(
          rights.writable_fields,
          changed.flatMap((field) => rightsBy(snakeCase(field), fieldRights[field as 'email'], actor)),
          one,
        );

        for (const target of targetsOf(caller)) {
          const { kind, id, user } = target;
          const on = kind === 'division' ? (id === ABSENT ? null : { divisionId: id }) : user && asTarget(user);
          const decided = actions.filter((action) => targetKindOf(action) === kind);
          const expected = decided.map((action): Decision => {
            const { outcome, reason } = explain(actor, action, on as never);
            const refusal = credentialRefusal(actor, action);
            return refusal ? { action, outcome: refusal.code, reason: refusal.message } : { action, outcome, reason };
          });
          const { body, status } = await ask(`?${kind}=${id}`);
          const isKnown = decided.some((action) => explain(actor, action, on as never).outcome !== 'not_found');
          same(
            [status, status === 200 ? body.target.decisions : body.code],
            isKnown ? [200, expected] : [404, 'not_found'],
            {
              ...one,
              target,
            },
          );
          const decisions: readonly Decision[] = status === 200 ? body.target.decisions : [];
          for (const { action, outcome } of decisions) {
            agrees(
              rights.actions.find(({ name }) => name === action),
              target,
              outcome === 'allowed',
            );
            if (comparedWithCedar.has(one)) same(outcome, outcomeOf(action, target), { ...one, action, target });
          }
          if (comparedWithCedar.has(one)) {
            const probe = kind === 'user' ? 'getUser' : 'getDivision';
            same(status === 404, outcomeOf(probe, target) === 'not_found', { ...one, target });
          }
          if (status === 404) continue;
          const writable = body.target.writable_fields as readonly string[];
          if (kind === 'division') {
            const mayUpdate = decisions.some(
              ({ action, outcome }) => action === 'updateDivision' && outcome === 'allowed',
            );
            same(writable, mayUpdate ? ['name', 'logo', 'fanpage'] : [], { ...one, target });
            continue;
          }
          const written = writableFields(actor, on as never).filter(
            (field) => credentialRefusal(actor, 'updateUser', { [field]: '' }) === null,
          );
          same(writable, written.map(snakeCase), { ...one, target });
          for (const field of FIELDS) {
            const isWritable = writable.includes(field);
            agrees(
              rights.writable_fields.find(({ name }) => name === field),
              target,
              isWritable,
            );
            if (!comparedWithCedar.has(one)) continue;
            const values = { [field]: field === 'groups' ? ['Leader'] : 'x', current_password: PASSWORD };
            same(isWritable, outcomeOf('updateUser', target, values) === 'allowed', { ...one, field, target });
          }
        }
      }
    })).timeout(1_800_000);
});
