import { DomainError, fieldRights, GROUPS, makeExplain, makeUseCases, policy } from '@chapter/domain';
import { operatorActions, publicActions } from '@chapter/domain/api';
import { aLeader, fakeHash, makeWorld, type Person, passwordIn, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { compare } from '../../../../test-support/proof/report.ts';
import { flagPairs, NO_FLAGS, OTHER, OWN } from '../../../../test-support/proof/states.ts';
import { walk } from '../../../../test-support/proof/walk.ts';
import { type Account, type Attempt, accountOf, attempts, NEW } from '../../../../test-support/proof/walk-requests.ts';

const division = (id: string | null) => ({ id: id ?? '', name: id ?? '' });
const person = (account: Account): Person => ({ ...aLeader(), ...account, division: division(account.divisionId) });

/** Runs an attempt with the real use cases on in-memory adapters. Returns the new target or the code of the refusal. */
const make = async (actor: Account, target: Account | null, { action, sent }: Attempt) => {
  const world = makeWorld();
  const useCases = makeUseCases(world);
  // Prevents refusals because of the last Leader.
  for (const id of [OWN, OTHER]) await storeUser(world, aLeader().of(division(id)));
  for (const account of new Set([actor, target ?? actor])) {
    await storeUser(world, person(account), fakeHash(account.held ? NEW : 'unknown'));
  }
  try {
    if (action === 'deleteUser') await useCases.deleteUser(actor, target?.id ?? '', () => ({}));
    if (action === 'updateUser') await useCases.updateUser(actor, target?.id ?? '', () => ({ fields: sent }));
    if (action === 'createPasswordLink') {
      const { token } = await useCases.createPasswordLink(actor, target?.id ?? '', () => undefined);
      await useCases.redeemPasswordLink({ requestId: 'r', network: '192.0.2.0/24' }, () => ({
        fields: { token, password: NEW },
      }));
    }
    const created =
      action === 'createUser'
        ? await useCases.createUser(actor, () => ({ fields: { username: 'newcomer', ...sent } }))
        : undefined;
    const found = await world.credentials.find(created?.id ?? target?.id ?? '');
    return found && { ...found.user, held: passwordIn(found.passwordHash ?? '') === NEW };
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
};

/** Returns the properties of a user that matter to the walk. */
const relevant = (user: Omit<Account, 'id' | 'username' | 'divisionId'>, divisionId: string | null) => ({
  divisionId,
  groups: user.groups,
  isActive: user.isActive,
  isStaff: user.isStaff,
  isSuperuser: user.isSuperuser,
  held: user.held,
});

const endingOf = (ending: Awaited<ReturnType<typeof make>>) =>
  typeof ending === 'string' ? 'refused' : ending && relevant(ending, ending.division.id);

const expectedOf = ({ isAllowed, next }: Attempt) => (isAllowed ? next && relevant(next, next.divisionId) : 'refused');

/** The actions that are no requests of the walk although they write, with the reason. */
const NOT_WALKED = {
  updateDivision: 'writes no user',
  createAccessToken: 'gives the user a credential with no more rights than a session has',
  endAccessToken: 'takes a credential away',
  endOwnSession: 'takes a credential away',
  endSession: 'takes a credential away',
  logIn: 'needs the password: the walker can act as each user whose password they know',
  refreshSession: 'continues a session with the present rights of its user',
  redeemPasswordLink: 'is part of createPasswordLink in the walk',
};

describe('The requests of the walk', function () {
  this.timeout(1_800_000);
  const groups = GROUPS;

  it('are all actions of the API that write, apart from those that cannot give rights', () => {
    const table = { explain: makeExplain(policy), fieldRights };
    const caller = accountOf('caller', { groups, held: true });
    const walked = [caller, null].flatMap((target) => attempts(table, caller, target).map(({ action }) => action));
    const ofApi = [...Object.keys(policy), ...publicActions].filter((action) => !operatorActions.includes(action));
    const writing = ofApi.filter((action) => !/^(get|list)[A-Z]/.test(action));
    expect([...new Set(walked), ...Object.keys(NOT_WALKED)]).to.have.members(writing);
  });

  it('end like the use cases, for a Leader with or without the flag and a member with or without both', () =>
    compare('requests of the walk made by the use cases', 2000, async ({ same }) => {
      const table = { explain: makeExplain(policy), fieldRights };
      for (const isStaff of [false, true]) {
        for (const flags of flagPairs.filter(({ isStaff, isSuperuser }) => isStaff === isSuperuser)) {
          const caller = accountOf('caller', { groups, isStaff, held: true });
          const start = [
            caller,
            accountOf('member', { groups, ...flags }),
            accountOf('alien', { groups, divisionId: OTHER }),
            null,
          ];
          const tried: [Account, Account | null, Attempt][] = [];
          walk(table, { ...NO_FLAGS, status: 'active', groups, isStaff }, [start], (actor, target, all) =>
            tried.push(...all.map((attempt): [Account, Account | null, Attempt] => [actor, target, attempt])),
          );
          for (const [actor, target, attempt] of tried) {
            const ending = await make(actor, target, attempt);
            same(endingOf(ending), expectedOf(attempt), { actor, target, attempt });
          }
        }
      }
    }));
});
