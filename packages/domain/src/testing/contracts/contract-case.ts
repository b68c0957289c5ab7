import type { World } from '../in-memory/world.ts';

/**
 * One promise of a port. `title` completes a sentence that begins with the port's name; `run` is given what it needs, for
 * most an empty world of its own, and throws when the promise is broken. Any runner will do:
 *
 *     for (const { title, run } of userRepositoryContract) it(title, async () => run(await makeWorld()));
 */
export interface ContractCase<Given = World> {
  readonly title: string;
  readonly run: (given: Given) => Promise<void>;
}

/** Writes a case in one breath. */
export const promise = <Given = World>(title: string, run: (given: Given) => Promise<void>): ContractCase<Given> => ({
  title,
  run,
});

/** A stored password that no password has: base64 of the length that scrypt-kdf gives, different for each label. */
export const hashNamed = (label: string): string => `c2NyeXB0${label.padEnd(120, 'A')}`;
