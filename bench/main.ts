// Measures the service against the baseline. A complete run writes bench/RESULTS.md. bench/README.md describes the settings.

import { describeRun, writeBetween } from './report/markdown.ts';
import { describeLoads, report } from './report/report.ts';
import { BASELINE, JSON_BASELINE, SERVICE } from './server.ts';
import { readSettings } from './settings.ts';
import { openSetup } from './setup.ts';
import { takeTurns } from './turns.ts';

const settings = readSettings(process.env);
await using stack = new AsyncDisposableStack();
const { start, startService, versions, world } = await openSetup(settings, stack);
const servers = [
  await start(BASELINE),
  await start(JSON_BASELINE),
  await startService({ ...SERVICE, nodeOptions: settings.nodeOptions }, settings.seconds),
];
const conditions = [...describeRun('servers, database and load generator', versions), ...describeLoads(settings)];
const contests = await takeTurns(
  servers.map((server) => ({ server, world })),
  settings,
);
const text = report({ conditions, servers: servers.map(({ name }) => name), hasGoals: true, contests });
console.log(text);
if (settings.isComplete) writeBetween('bench/RESULTS.md', 'npm run bench', text);
