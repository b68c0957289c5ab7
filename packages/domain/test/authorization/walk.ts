import { GROUPS, type policy } from '@chapter/domain';
import { oracle, oracleActions, type Standing } from '../../../../test-support/authorization/oracle.ts';
import { idNamed, OTHER, OWN } from '../../../../test-support/authorization/states.ts';
import { type Account, type Attempt, attempts, type RuleTable } from './walk-requests.ts';

/** Users by their place, always in the same order; null for one that is not there, or not any more. */
export type State = readonly (Account | null)[];

/** Whether an account lets the walker do what the caller's groups in their division do not lead to. */
const exceeds = ({ explain }: RuleTable, caller: Standing, account: Account): boolean => {
  // A Leader can make members of the division of all groups, so has what all groups have.
  const most = caller.groups.includes('Leader') ? { ...caller, groups: GROUPS } : caller;
  const mayBe = account.username === 'caller' || oracle(most, 'updateUser', 'same division') === 'allowed';
  const rights = oracleActions.flatMap(({ action, relations }) =>
    (relations.length > 1 ? (['same division', 'other division'] as const) : (['self'] as const)).map((relation) => {
      const target = {
        id: idNamed('other'),
        divisionId: relation === 'other division' ? OTHER : OWN,
        isStaff: false,
        isSuperuser: false,
      };
      const allowed = explain(account, action as keyof typeof policy, target).outcome === 'allowed';
      return allowed && oracle(most, action, relation) !== 'allowed';
    }),
  );
  return !mayBe || rights.includes(true);
};

/** How a state was first reached: from which, by which request. Null at the beginning. */
type Way = { readonly from: number; readonly request: string } | null;

// States and accounts are numbers where there are many of them.
const MAX_ACCOUNTS = 4096;
const numberOfState = (state: readonly number[]): number =>
  state.reduce((number, account) => number * MAX_ACCOUNTS + account, 0);

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
 * `tried` is told once what each account can try to do to each other.
 */
export const walk = (
  table: RuleTable,
  caller: Standing,
  starts: readonly State[],
  tried: (actor: Account, target: Account | null, attempts: readonly Attempt[]) => void = () => {},
) => {
  const { numberOf, once } = makeRegister();
  const stepsOf = once((actor, target) => {
    if (!actor?.held || !actor.isActive) return [];
    const all = attempts(table, actor, target);
    tried(actor, target, all);
    return all
      .filter(({ isAllowed }) => isAllowed)
      .map(({ action, sent, next }) => ({
        request: [actor.username, action, target?.username, JSON.stringify(sent)].filter(Boolean).join(' '),
        next: numberOf(next),
      }));
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
