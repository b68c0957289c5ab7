// Measures the service against the floor and writes bench/RESULTS.md. See bench/README.md for what can be set.
import { circumstances, inRounds } from './circumstances.ts';
import { kindNamed, kinds } from './kinds.ts';
import { measureDepth } from './more/depth.ts';
import { runHalfLoad } from './more/half-load.ts';
import { watchMemory } from './more/memory.ts';
import { measureStarts } from './more/starts.ts';
import { measureWorkers } from './more/workers.ts';
import { report } from './report/report.ts';
import { summarize } from './report/summary.ts';
import { writeBefore } from './report/write-between.ts';
import { runRounds } from './rounds.ts';
import { readSettings } from './settings.ts';
import { openStage } from './stage.ts';

/** Turns at depth for each second of the rounds: the pages are so alike that fewer would not tell them apart. */
const DEPTH_TURNS = 4;

const settings = readSettings(process.env);
const { connections, seconds, turns } = settings;
const stage = await openStage(settings, (line) => console.error(line));

try {
  const { servers } = stage;
  const starts = settings.more ? await measureStarts(turns, servers) : undefined;
  const floor = await stage.start('floor');
  const service = await stage.start('service', { nodeOptions: settings.nodeOptions });
  const world = await stage.worldOf(service);
  const chosen = kinds.filter(({ name }) => settings.kinds.length === 0 || settings.kinds.includes(name));
  const ports = { ...stage.ports, floor, service, world };
  const { generator } = ports;
  const when = circumstances(settings, stage.versions, inRounds(settings));
  const read = kindNamed('read a user');
  const pages = { first: kindNamed('first page of 100,000'), deep: kindNamed('deep page') };
  const results = await runRounds(chosen, settings.rounds, ports);
  const hasDepth = settings.more && chosen.includes(pages.deep);
  const found = {
    circumstances: when,
    summaries: results.map(summarize),
    ...(hasDepth && {
      depth: await measureDepth(pages, Math.ceil(DEPTH_TURNS * settings.rounds * seconds), ports),
    }),
    ...(starts && { starts, halfLoad: await runHalfLoad(results, settings.halfLoadTurns, ports) }),
    ...(starts && {
      workers: await measureWorkers(read, world, generator, servers, { connections, seconds, turns }),
    }),
    ...(settings.minutes > 0 && {
      memory: await watchMemory(chosen, world, generator, service, { minutes: settings.minutes, connections }),
    }),
  };
  const text = report(found);
  console.log(text);
  if (settings.output) writeBefore(settings.output, '## Hostile requests', text);
} finally {
  await stage.close();
}
