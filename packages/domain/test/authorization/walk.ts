import {
  type Actor,
  checkFields,
  type FieldRights,
  forbiddenFields,
  GROUPS,
  type makeExplain,
  type policy,
  type SentFields,
  USER_READ_ONLY,
  userChangeChecks,
} from '@chapter/domain';
import { oracle, oracleActions, type Standing } from '../../../../test-support/authorization/oracle.ts';
import { groupSubsets, OTHER, OWN } from '../../../../test-support/authorization/states.ts';

/** Rules to walk by: the domain's, or others that are meant to have a hole. */
export interface RuleTable {
  readonly explain: ReturnType<typeof makeExplain<typeof policy>>;
  readonly fieldRights: FieldRights;
}

/** A user, and whether the walker can act as them: has their password. */
export interface Account extends Actor {
  readonly held: boolean;
}

/** Users by their place, always in the same order; null for one that is not there, or not any more. */
export type State = readonly (Account | null)[];

interface Step {
  readonly request: string;
  readonly next: Account | null;
}

const checks = userChangeChecks(() => '2026-01-01');
const NEW = 'a new password';

/** What a request can try to write, but for fields that give no right to anybody. */
const writes = ({ groups, isActive }: Account): readonly SentFields[] => [
  ...GROUPS.map((group) => ({
    groups: GROUPS.filter((each) => groups.includes(each) !== (each === group)),
  })),
  { isActive: !isActive },
  { password: NEW, currentPassword: NEW },
  { division: OTHER },
  { division: OWN },
  ...USER_READ_ONLY.map((field) => ({ [field]: true })),
];

const creations: readonly SentFields[] = groupSubsets.flatMap((groups) => [
  { password: NEW, groups },
  { password: NEW, groups, division: OTHER },
  { password: NEW, groups, isStaff: true },
]);

const refuses = ({ fieldRights }: RuleTable, actor: Account, target: Account, sent: SentFields): boolean =>
  forbiddenFields(actor, target, sent, fieldRights).length > 0 ||
  checkFields(checks, sent, { readOnly: USER_READ_ONLY }).faults.length > 0;

const written = (target: Account, sent: SentFields): Account => {
  const { division, password, currentPassword: _, ...values } = sent;
  const divisionId = typeof division === 'string' ? division : target.divisionId;
  return { ...target, ...(values as Partial<Account>), divisionId, held: target.held || password !== undefined };
};

/** What becomes of the target by each request that the rules let the actor make. */
const steps = (table: RuleTable, actor: Account, target: Account): readonly Step[] => {
  const { explain } = table;
  const found: Step[] = [];
  if (explain(actor, 'updateUser', target).outcome === 'allowed') {
    for (const sent of writes(target).filter((sent) => !refuses(table, actor, target, sent))) {
      found.push({
        request: `${actor.id} writes ${JSON.stringify(sent)} to ${target.id}`,
        next: written(target, sent),
      });
    }
  }
  if (explain(actor, 'deleteUser', target).outcome === 'allowed') {
    found.push({ request: `${actor.id} deletes ${target.id}`, next: null });
  }
  return found;
};

const createdBy = (table: RuleTable, actor: Account): readonly Step[] => {
  const { divisionId } = actor;
  if (table.explain(actor, 'createUser', { divisionId }).outcome !== 'allowed') return [];
  const blank: Account = {
    id: 'newcomer', username: 'newcomer', divisionId, groups: [], isActive: true, isStaff: false, isSuperuser: false, held: true,
  }; // biome-ignore format: one person on one line
  return creations
    .filter((sent) => !refuses(table, actor, blank, sent))
    .map((sent) => ({ request: `${actor.id} creates ${JSON.stringify(sent)}`, next: written(blank, sent) }));
};

/** Whether an account lets the walker do what the caller's groups in their division do not lead to. */
const exceeds = ({ explain }: RuleTable, caller: Standing, account: Account): boolean => {
  // A Leader can make members of the division of all groups, so has what all groups have.
  const most = caller.groups.includes('Leader') ? { ...caller, groups: GROUPS } : caller;
  const mayBe = account.id === 'caller' || oracle(most, 'updateUser', 'same division') === 'allowed';
  const rights = oracleActions.flatMap(({ action, relations }) =>
    (relations.length > 1 ? (['same division', 'other division'] as const) : (['self'] as const)).map((relation) => {
      const target = { id: 'anybody', divisionId: relation === 'other division' ? OTHER : OWN, isStaff: false, isSuperuser: false }; // biome-ignore format: one target on one line
      const allowed = explain(account, action as keyof typeof policy, target).outcome === 'allowed';
      return allowed && oracle(most, action, relation) !== 'allowed';
    }),
  );
  return !mayBe || rights.includes(true);
};

/** How a state was first reached: from which, by which request. Null at the beginning. */
type Way = { readonly from: number; readonly request: string } | null;

// States and accounts are numbers where there are many of them.
const MOST = 4096;
const numberOfState = (state: readonly number[]): number =>
  state.reduce((number, account) => number * MOST + account, 0);

/** Gives each of the accounts that there are a number, nobody 0, and remembers what is computed about them. */
const makeRegister = () => {
  const accounts: (Account | null)[] = [null];
  const numbers = new Map([['null', 0]]);
  const numberOf = (account: Account | null): number => {
    const key = JSON.stringify(account);
    const number = numbers.get(key) ?? accounts.push(account) - 1;
    numbers.set(key, number);
    return number;
  };
  const once = <T>(compute: (one: Account | null, other: Account | null) => T) => {
    const known = new Map<number, T>();
    return (one: number, other: number): T => {
      const key = numberOfState([one, other]);
      const value = known.get(key) ?? compute(accounts[one] ?? null, accounts[other] ?? null);
      known.set(key, value);
      return value;
    };
  };
  return { numberOf, once };
};

/**
 * Walks breadth-first through every state that requests lead to which the rules allow, as somebody who holds a caller's
 * account and whatever account they can take over or create. Answers how many states there are, and the shortest way to a
 * right that the caller must not have, or null. It takes the last Leader's departure as allowed: that only adds states.
 */
export const walk = (table: RuleTable, caller: Standing, starts: readonly State[]) => {
  const { numberOf, once } = makeRegister();
  const stepsOf = once((actor, target) => {
    if (!actor?.held || !actor.isActive) return [];
    const all = target ? steps(table, actor, target) : createdBy(table, actor);
    return all.map(({ request, next }) => ({ request, next: numberOf(next) }));
  });
  const isEscape = once((account) => Boolean(account?.held && account.isActive && exceeds(table, caller, account)));

  const ways = new Map<number, Way>();
  const queue: (readonly number[])[] = [];
  const reach = (state: readonly number[], way: Way): void => {
    const number = numberOfState(state);
    if (ways.has(number)) return;
    ways.set(number, way);
    queue.push(state);
  };
  for (const start of starts) reach(start.map(numberOf), null);
  for (let at = 0; at < queue.length; at++) {
    const state = queue[at] ?? [];
    const from = numberOfState(state);
    if (state.some((account) => isEscape(account, 0))) return { states: ways.size, escape: wayTo(from, ways) };
    for (const actor of state) {
      for (const [place, target] of state.entries()) {
        // Only the last place is for newcomers; others that left do not come back.
        if (target === 0 && place < state.length - 1) continue;
        for (const { request, next } of stepsOf(actor, target)) reach(state.with(place, next), { from, request });
      }
    }
  }
  return { states: ways.size, escape: null };
};

const wayTo = (state: number, ways: ReadonlyMap<number, Way>): readonly string[] => {
  const requests: string[] = [];
  for (let way = ways.get(state); way; way = ways.get(way.from)) requests.unshift(way.request);
  return requests;
};
