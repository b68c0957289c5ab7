import { DomainError, unavailable } from '../../../../packages/domain/src/ports/index.ts';
import { Difference, formatOutcome, type Settled, settle } from '../difference.ts';
import type { Model } from '../model/state.ts';
import type { Predicted } from '../model/users.ts';
import type { Random } from '../random.ts';
import { type Run, recordPossibleOutcomes } from '../run.ts';
import type { Scheduler } from '../scheduler.ts';
import type { SimulatedWorld } from '../world.ts';

/** How often, in percent, a port call fails before its effect, fails after its effect, or runs twice. */
export interface Faults {
  readonly before: number;
  readonly after: number;
  readonly repeated: number;
}

/** The state that the wrapped ports of a history share. */
export interface Simulation {
  readonly world: SimulatedWorld;
  readonly model: Model;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly faults: Faults;
  /** Returns the run of the client that is running. */
  readonly run: () => Run;
  /** Receives descriptions of the events, for replays. */
  readonly trace: (line: () => string) => void;
  readonly counts: { turns: number; failures: number; repeats: number };
}

const fail = ({ counts }: Simulation, run: Run): never => {
  counts.failures += 1;
  run.failures += 1;
  throw unavailable();
};

/**
 * Runs a port call in its turn. By chance, it fails with `unavailable` before or after its effect. By chance, `firstAttempt`
 * runs before it in a separate turn, like a transaction that the database rolls back and that is tried again.
 */
export const call = async <T>(
  simulation: Simulation,
  name: string,
  work: (run: Run) => Promise<T>,
  firstAttempt?: (run: Run) => Promise<unknown>,
): Promise<T> => {
  const { scheduler, random, faults, counts, model, trace } = simulation;
  const run = simulation.run();
  const client = scheduler.client();
  const turn = async (): Promise<void> => {
    await scheduler.turn();
    counts.turns += 1;
    recordPossibleOutcomes(model, run);
  };
  await turn();
  if (firstAttempt && random.chance(faults.repeated)) {
    counts.repeats += 1;
    trace(() => `  client ${client}: ${name} runs and is repeated`);
    await firstAttempt(run);
    await turn();
  }
  if (random.chance(faults.before)) {
    trace(() => `  client ${client}: ${name} fails before its effect`);
    fail(simulation, run);
  }
  const outcome = await settle(() => work(run));
  const isLost = 'value' in outcome && random.chance(faults.after);
  trace(() => `  client ${client}: ${name}: ${formatOutcome(outcome)}${isLost ? ', but the response is lost' : ''}`);
  if (isLost) fail(simulation, run);
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
};

/** Thrown into a transaction to roll it back. */
const ROLLBACK = new Error('rolled back by the simulation');

const rollBack = (): never => {
  throw ROLLBACK;
};

/** Passes a decision of a use case on to the port, or throws to roll it back. */
export type Decide = <Result>(result: Result) => Result;

/** Runs a write whose use case decides in the transaction. It must end as the model predicts, even if it is rolled back. */
export const write = <T, Expected>(
  simulation: Simulation,
  name: string,
  predict: (run: Run) => Predicted<Expected>,
  perform: (decide: Decide) => Promise<T>,
  requireExpected: (value: T, expected: Expected, run: Run) => void,
  isTolerated: (run: Run, code: string) => boolean = () => false,
): Promise<T> => {
  const attempt = async (run: Run, decide: Decide): Promise<T | undefined> => {
    const predicted = predict(run);
    const outcome = await settle(() => perform(decide));
    if ('error' in outcome) {
      if (outcome.error === ROLLBACK) return undefined;
      refuse(run, outcome, predicted, isTolerated);
      throw outcome.error;
    }
    if ('refusal' in predicted)
      throw new Difference(`${name} succeeds, but the model refuses it with ${predicted.refusal}`);
    const expected = predicted.apply();
    requireExpected(outcome.value, expected, run);
    run.effect = { of: 'written', expected };
    return outcome.value;
  };
  return call(
    simulation,
    name,
    async (run) => (await attempt(run, (result) => result)) as T,
    (run) => attempt(run, rollBack),
  );
};

const refuse = (
  run: Run,
  outcome: Settled<unknown> & { readonly error: unknown },
  predicted: Predicted<unknown>,
  isTolerated: (run: Run, code: string) => boolean,
): void => {
  if (!(outcome.error instanceof DomainError)) throw outcome.error;
  const { code } = outcome.error;
  const expected = 'refusal' in predicted ? predicted.refusal : 'ok';
  if (code !== expected && !isTolerated(run, code)) {
    throw new Difference(`a write ends with ${code}, but with ${expected} in the model`);
  }
  run.refusals.add(code);
};
