import type { World } from '../in-memory/world.ts';

/**
 * One test of a port's contract. `title` completes a sentence that begins with the port's name. `run` receives the adapter
 * under test, usually as part of an empty world, and throws if the adapter fails the test. Works with any test runner:
 *
 *     for (const { title, run } of portContracts.UserRepository) it(title, async () => run(await makeWorld()));
 */
export interface ContractCase<Given = World> {
  /** The behaviour that is tested. */
  readonly title: string;
  /** Runs the test; rejects if the adapter fails it. */
  readonly run: (given: Given) => Promise<void>;
}

/** Makes a contract case. */
export const contractCase = <Given = World>(
  title: string,
  run: (given: Given) => Promise<void>,
): ContractCase<Given> => ({ title, run });

/** Returns a string in the format of a scrypt-kdf hash, different for each label. No password matches it. */
export const hashNamed = (label: string): string => `c2NyeXB0${label.padEnd(120, 'A')}`;
