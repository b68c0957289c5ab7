import type { Load } from './load.ts';
import type { RunningServer } from './server.ts';
import type { Measurement, Stage } from './stage.ts';

/** The measurements of one turn: one of each load. */
export type Turn<Name extends string> = Readonly<Record<Name, Measurement>>;

/** Returns the requests a second of a load. */
export const perSecond = ({ requests, seconds }: Measurement): number => requests / seconds;

/**
 * Returns the order of an even number of names in a turn: a Williams design, in which each name has each place equally often
 * and follows each other one equally often, so that none profits from the one before.
 */
export const orderOf = <Name extends string>(names: readonly Name[], turn: number): readonly Name[] =>
  names.flatMap((_, at) => names[((at % 2 === 1 ? (at + 1) / 2 : names.length - at / 2) + turn) % names.length] ?? []);

/** Puts each load on its server, in turn, and logs the throughputs. A first turn warms up and does not count. */
export const takeTurns = async <Name extends string>(
  { measure, vacuum }: Pick<Stage, 'measure' | 'vacuum'>,
  title: string,
  loads: Readonly<Record<Name, readonly [RunningServer, Load]>>,
  turns: number,
): Promise<readonly Turn<Name>[]> => {
  const names = Object.keys(loads) as Name[];
  const found: Turn<Name>[] = [];
  await vacuum();
  for (let turn = 0; turn <= turns; turn++) {
    const measured: Partial<Record<Name, Measurement>> = {};
    for (const name of orderOf(names, turn)) {
      const [server, load] = loads[name];
      measured[name] = await measure(server, load);
    }
    const complete = measured as Turn<Name>;
    if (turn > 0) found.push(complete);
    const rates = names.map((name) => `${name} ${perSecond(complete[name]).toFixed(1)}/s`);
    console.error(`${title}, turn ${turn}: ${rates.join(', ')}`);
  }
  return found;
};
