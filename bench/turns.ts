import type { Load } from './load.ts';
import type { RunningServer } from './server.ts';
import type { Measurement, Setup } from './setup.ts';

/** The measurements of one turn: one of each load. */
export type Turn<Name extends string> = Readonly<Record<Name, Measurement>>;

/** Returns the requests per second of a load. */
export const perSecond = ({ requests, seconds }: Measurement): number => requests / seconds;

/**
 * Puts two loads on their servers, in turn, and logs the throughputs. A first turn warms up and does not count. Every second
 * turn begins with the other load, so that the order favours neither.
 */
export const takeTurns = async <Name extends string>(
  { client, measure }: Pick<Setup, 'client' | 'measure'>,
  title: string,
  loads: Readonly<Record<Name, readonly [RunningServer, Load]>>,
  turns: number,
): Promise<readonly Turn<Name>[]> => {
  const names = Object.keys(loads) as Name[];
  const found: Turn<Name>[] = [];
  // Otherwise, autovacuum might run during a measurement.
  await client.query('vacuum user_account');
  for (let turn = 0; turn <= turns; turn++) {
    const measured = {} as Record<Name, Measurement>;
    for (const name of turn % 2 === 0 ? names : names.toReversed()) {
      const [server, load] = loads[name];
      measured[name] = await measure(server, load);
    }
    if (turn > 0) found.push(measured);
    const rates = names.map((name) => `${name} ${perSecond(measured[name]).toFixed(1)}/s`);
    console.error(`${title}, turn ${turn}: ${rates.join(', ')}`);
  }
  return found;
};
