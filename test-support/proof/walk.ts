import { type Action, GROUPS, policy } from '../../packages/domain/src/index.ts';
import { contractOutcome } from './decisions.ts';
import { idNamed, NO_FLAGS, OTHER, OWN, type Relation, type Standing } from './states.ts';
import { type Account, type Attempt, attempts, type RuleTable } from './walk-requests.ts';

/** Users by slot, always in the same order; null for a user who does not exist yet or any more. */
export type State = readonly (Account | null)[];

const actions = Object.keys(policy) as Action[];

/** Whether an account lets the walker do more than the caller's groups in their division can give. */
const exceeds = ({ explain }: RuleTable, caller: Standing, account: Account): boolean => {
  // A Leader can give all groups to members of the division, and so has the rights of all groups.
  const withAllGroups = caller.groups.includes('Leader') ? { ...caller, groups: GROUPS } : caller;
  const mayDo = (action: Action, relation: Relation): boolean =>
    contractOutcome(withAllGroups, action, relation) === 'allowed';
  const mayBe = account.username === 'caller' || mayDo('updateUser', 'same division');
  const rights = actions.flatMap((action) =>
    (['same division', 'other division'] as const).map((relation) => {
      const target = { id: idNamed('other'), divisionId: relation === 'other division' ? OTHER : OWN, ...NO_FLAGS };
      return explain(account, action, target).outcome === 'allowed' && !mayDo(action, relation);
    }),
  );
  return !mayBe || rights.includes(true);
};

/** The predecessor of a state and the request that first reached it; null for a start. */
type Step = { readonly from: number; readonly request: string } | null;

// States and accounts are encoded as numbers to save memory.
const MAX_ACCOUNTS = 4096;
const numberOfState = (state: readonly number[]): number =>
  state.reduce((number, account) => number * MAX_ACCOUNTS + account, 0);

/** Numbers the accounts, with 0 for null, and memoizes what is computed about them. */
const makeRegister = () => {
  const accounts: (Account | null)[] = [null];
  const numbers = new Map([['null', 0]]);
  const numberOf = (account: Account | null): number => {
    const key = JSON.stringify(account);
    const number = numbers.get(key) ?? accounts.push(account) - 1;
    numbers.set(key, number);
    return number;
  };
  const memoize = <T>(compute: (one: Account | null, other: Account | null) => T) => {
    const known = new Map<number, T>();
    return (one: number, other: number): T => {
      const key = numberOfState([one, other]);
      const value = known.get(key) ?? compute(accounts[one] ?? null, accounts[other] ?? null);
      known.set(key, value);
      return value;
    };
  };
  return { numberOf, memoize };
};

/**
 * Walks breadth-first through all states that allowed requests reach, as a walker who holds the caller's account and every
 * account that they can take over or create. Returns the number of states, and the shortest sequence of requests to a right
 * that the caller must not have, or null. Allows the removal of the last Leader, which only adds states. Calls `tried` once
 * for each actor and target with all attempts.
 */
export const walk = (
  table: RuleTable,
  caller: Standing,
  starts: readonly State[],
  tried: (actor: Account, target: Account | null, attempts: readonly Attempt[]) => void = () => {},
) => {
  const { numberOf, memoize } = makeRegister();
  const stepsOf = memoize((actor, target) => {
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
  const isEscape = memoize((account) => Boolean(account?.held && account.isActive && exceeds(table, caller, account)));

  const steps = new Map<number, Step>();
  const queue: (readonly number[])[] = [];
  const reach = (state: readonly number[], step: Step): void => {
    const number = numberOfState(state);
    if (steps.has(number)) return;
    steps.set(number, step);
    queue.push(state);
  };
  for (const start of starts) reach(start.map(numberOf), null);
  for (let at = 0; at < queue.length; at++) {
    const state = queue[at] ?? [];
    const from = numberOfState(state);
    if (state.some((account) => isEscape(account, 0))) return { states: steps.size, escape: requestsTo(from, steps) };
    for (const actor of state) {
      for (const [place, target] of state.entries()) {
        // Only the last slot takes new users; deleted users do not return.
        if (target === 0 && place < state.length - 1) continue;
        for (const { request, next } of stepsOf(actor, target)) reach(state.with(place, next), { from, request });
      }
    }
  }
  return { states: steps.size, escape: null };
};

const requestsTo = (state: number, steps: ReadonlyMap<number, Step>): readonly string[] => {
  const requests: string[] = [];
  for (let step = steps.get(state); step; step = steps.get(step.from)) requests.unshift(step.request);
  return requests;
};
