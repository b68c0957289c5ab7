import { runInNewContext } from 'node:vm';
import { makeActor, makeExplain, OPERATOR, type Policy } from '@chapter/domain';
import { aGuest, aLeader, aUser, type Example } from '@chapter/domain/testing';
import { expect } from 'chai';

/** Evaluates the printed code of an example by a policy. */
const evaluate = ({ code }: Example, by: Policy): string => {
  const builders = { aUser, aLeader, aGuest, makeActor, OPERATOR };
  return (runInNewContext(code, { ...builders, explain: makeExplain(by) }) as { outcome: string }).outcome;
};

/** Expects that the example and its code have the stated outcomes by each policy. */
export const expectReproduced = (found: Example | null | undefined, ...policies: readonly Policy[]): Example => {
  const example = found ?? expect.fail('there is no example');
  const direct = policies.map((rows) => {
    const { caller, action, target } = example;
    return makeExplain(rows)(caller as never, action, target as never).outcome;
  });
  expect(direct).to.deep.equal(example.outcomes);
  expect(policies.map((rows) => evaluate(example, rows))).to.deep.equal(example.outcomes);
  return example;
};

/** Returns the actions, callers and outcomes of examples as text. */
export const shown = (examples: readonly Example[]) =>
  examples.map(({ action, outcomes, who }) => `${action}: ${who}: ${outcomes.join(' → ')}`);
