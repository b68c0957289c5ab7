import {
  type Action,
  type Actor,
  actorOf,
  asTarget,
  explain,
  fieldRights,
  isInScope,
  makeUseCases,
  policy,
  type User,
  type UserTarget,
  writableFields,
} from '@chapter/domain';
import { credentialRefusal, operatorActions, type PermissionTarget, targetKindOf } from '@chapter/domain/api';
import { expect } from 'chai';
import { compare } from '../../../../test-support/proof/report.ts';
import { flagPairs, groupSubsets } from '../../../../test-support/proof/states.ts';
import { acting, refusal, useChapter } from './setup.ts';

const ABSENT = '0190a000-0000-7000-8000-00000000dead';

const READING = ['listUsers', 'getUser', 'getDivision', 'listDivisionUsers', 'getDivisionStatistics', 'listChanges'];
const FOR_ALL = ['listGroups', 'getInfo', 'getOwnUser', 'getPermissions'];
const OWN_TOKENS = ['listOwnSessions', 'endOwnSession', 'createAccessToken', 'listAccessTokens', 'endAccessToken'];
const API_ACTIONS = (Object.keys(policy) as Action[]).filter((action) => !operatorActions.includes(action));
const PROFILE = ['username', 'email', 'firstName', 'lastName', 'birthdate'];

type Rights = Awaited<ReturnType<ReturnType<typeof makeUseCases>['getPermissions']>>['actions'];

describe('What a caller may do', () => {
  const chapter = useChapter();
  const withToken = (user: User, isReadOnly: boolean): Actor => ({
    ...acting(user),
    token: { id: ABSENT, isReadOnly },
  });
  const ask = (caller: Actor, kind: PermissionTarget['kind'], id: string) =>
    chapter.useCases.getPermissions(caller, { kind, id });
  const namesIn = (permissions: readonly { readonly name: string }[]) => permissions.map(({ name }) => name);

  it('has the scopes of the rules, and says whether a right applies to all of the scope', async () => {
    const { lead, north, useCases, user } = chapter;
    const named = (right: object) => (name: string) => Object.assign({ name }, right);
    const all = { scope: 'all', isExact: true };
    const own = { scope: [{ id: user.id }], isExact: true };
    expect(await useCases.getPermissions(acting(user), null)).to.deep.equal({
      actions: [
        ...['getUser', 'updateUser'].map(named(own)),
        ...FOR_ALL.map(named(all)),
        ...OWN_TOKENS.map(named(own)),
      ],
      writableFields: [...PROFILE, 'password', 'currentPassword'].map(named(own)),
      target: null,
    });
    const ofLeader = await useCases.getPermissions(acting(lead), null);
    const [inDivision, selfOr] = [[{ divisionId: north.id }], [{ id: lead.id }, { divisionId: north.id }]];
    expect(ofLeader.actions).to.deep.include.members([
      { name: 'getUser', scope: selfOr, isExact: true },
      { name: 'createUser', scope: inDivision, isExact: true },
      // Whether the user is an Administrator decides too.
      { name: 'createPasswordLink', scope: inDivision, isExact: false },
    ]);
    expect(ofLeader.writableFields).to.deep.include.members([
      { name: 'groups', scope: inDivision, isExact: true },
      { name: 'password', scope: selfOr, isExact: false },
    ]);
    expect(namesIn(ofLeader.writableFields)).to.not.include('division');
    const names = namesIn(ofLeader.actions);
    for (const name of ['listDivisions', 'moveUser', 'logIn']) expect(names).to.not.include(name);
  });

  it('equals the policy, for every caller, credential and target', () =>
    compare('answers about permissions compared with the policy', 10_000, async ({ same }) => {
      const { admit, elsewhere, north, south, useCases } = chapter;
      const callers: User[] = [];
      for (const groups of groupSubsets) {
        for (const flags of flagPairs) callers.push(await admit(`caller-${callers.length}`, groups, flags));
      }
      const others = [elsewhere, await admit('inactive', [], { isActive: false })];
      for (const flags of flagPairs) others.push(await admit(`other-${others.length}`, ['User'], flags));
      for (const one of callers) {
        for (const caller of [acting(one), withToken(one, false), withToken(one, true)]) {
          const rights = await useCases.getPermissions(caller, null);
          same(rights.target, null);
          const suffices = (action: Action, fields = {}) => credentialRefusal(caller, action, fields) === null;
          const targets = [...[one, ...others].map(asTarget), ...[north, south].map(({ id }) => ({ divisionId: id }))];
          for (const target of targets) {
            const shown = { caller, target };
            const [kind, id] =
              'id' in target ? (['user', target.id] as const) : (['division', target.divisionId] as const);
            const explained = API_ACTIONS.filter((action) => targetKindOf(action) === kind).map((action) => {
              const { outcome, reason } = explain(caller, action, target as never);
              return { action, outcome, reason };
            });
            if (explained.every(({ outcome }) => outcome === 'not_found')) {
              same((await refusal('not_found', () => ask(caller, kind, id))).message, 'not found', shown);
              continue;
            }
            const found = (await ask(caller, kind, id)).target ?? expect.fail('no decisions');
            const decided = explained.map((decision) => {
              const refused = credentialRefusal(caller, decision.action);
              return refused ? { action: decision.action, outcome: refused.code, reason: refused.message } : decision;
            });
            same(found.decisions, decided, shown);
            const isAllowed = (action: Action) =>
              decided.some((each) => each.action === action && each.outcome === 'allowed');
            const fields = writableFields(caller, target as UserTarget).filter((field) =>
              suffices('updateUser', { [field]: '' }),
            );
            const ofDivision = isAllowed('updateDivision') ? ['name', 'logo', 'fanpage'] : [];
            same(found.writableFields, kind === 'user' ? fields : ofDivision, shown);

            /** Compares a right with the decision: an exact one applies to its scope, another to no more. */
            const agrees = (granted: Rights, name: string, isGiven: boolean): void => {
              const right = granted.find((each) => each.name === name);
              const isWithin = right !== undefined && isInScope(right.scope, target);
              same(isWithin, isGiven || (isWithin && !right?.isExact), { ...shown, right });
            };
            for (const { action, outcome } of decided) agrees(rights.actions, action, outcome === 'allowed');
            if (kind === 'division') continue;
            for (const field of Object.keys(fieldRights)) agrees(rights.writableFields, field, fields.includes(field));
          }
        }
      }
    }));

  it('hides targets that the caller may not know of, like those that do not exist', async () => {
    const { admit, elsewhere, guest, lead, south, user } = chapter;
    const staff = acting(await admit('staff', [], { isStaff: true }));
    for (const [caller, kind, id] of [
      [acting(lead), 'user', elsewhere.id],
      [acting(user), 'user', guest.id],
      [staff, 'user', guest.id],
      [acting(lead), 'user', ABSENT],
      [acting(lead), 'user', south.id],
      [acting(lead), 'division', south.id],
      [staff, 'division', ABSENT],
    ] as const) {
      const { message } = await refusal('not_found', () => ask(caller, kind, id));
      expect(message).to.equal('not found');
    }
    const { target } = await ask(staff, 'division', south.id);
    expect(new Set(target?.decisions.map(({ outcome }) => outcome))).to.deep.equal(new Set(['forbidden']));
  });

  it('is what the credential suffices for', async () => {
    const { lead, useCases } = chapter;
    const [token, readOnly] = [withToken(lead, false), withToken(lead, true)];
    const session = await useCases.getPermissions(acting(lead), null);
    const byToken = await useCases.getPermissions(token, null);
    const excluded = new Set<string>([...OWN_TOKENS, 'createPasswordLink']);
    expect(namesIn(byToken.actions)).to.deep.equal(namesIn(session.actions).filter((name) => !excluded.has(name)));
    const withoutPassword = [...PROFILE, 'currentPassword', 'groups', 'isActive'];
    expect(namesIn(byToken.writableFields)).to.deep.equal(withoutPassword);
    const byReadOnly = await useCases.getPermissions(readOnly, null);
    expect(namesIn(byReadOnly.actions)).to.have.members([...READING, ...FOR_ALL]);
    expect(byReadOnly.writableFields).to.deep.equal([]);
  });

  it('is refused to an inactive caller, and looks nothing up without a target', async () => {
    const { user, world } = chapter;
    const find = () => expect.fail('nothing is asked about');
    const { getPermissions } = makeUseCases({ ...world, users: { ...world.users, find } });
    await getPermissions(acting(user), null);
    await refusal('invalid_token', () => getPermissions(actorOf({ ...user, isActive: false }), null));
  });
});
