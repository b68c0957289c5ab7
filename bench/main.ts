// Measures the service against the baseline. A complete run writes bench/RESULTS.md. bench/README.md describes the settings.

import * as parts from './parts.ts';
import { describeRun, writeBetween } from './report/markdown.ts';
import { report } from './report/report.ts';
import { readSettings, type Settings } from './settings.ts';
import { openSetup } from './setup.ts';

const settings = readSettings(process.env);
const { connections, population, rounds, seconds, scrypt } = settings;
await using stack = new AsyncDisposableStack();
const setup = await openSetup(settings, stack);

/** Runs a part of the bench if the settings name it. */
const run = async <T>(part: Settings['parts'][number], measure: () => Promise<T>): Promise<T | undefined> =>
  settings.parts.includes(part) ? measure() : undefined;

const hashing = `${seconds * 3} s at ${Math.min(connections, parts.HASHING_CONNECTIONS)}`;
const conditions = [
  ...describeRun('servers, database and load generator', setup.versions),
  `${population.others?.toLocaleString('en')} members in divisions of 100, and one division of ${population.members.toLocaleString('en')}; the database does not wait for the disk, and is vacuumed before each kind`,
  'The service runs in PROD, but without a log line for every request (LOG_LEVEL=warn) and without OPS_PORT',
  `${rounds} rounds of ${seconds} s at ${connections} connections (${hashing} where passwords are hashed: scrypt with logN ${scrypt.logN}, r 8, p ${scrypt.p}), baseline and service in turn; half the load in ${Math.min(parts.HALF_LOAD_TURNS, rounds)} turns`,
];
const start = await run('start', () => parts.measureStart(setup, settings));
const baseline = await setup.start('baseline');
const service = await setup.start('service', { nodeOptions: settings.nodeOptions });
const servers = { baseline, service };
const greatestLoad = await run('greatest load', () => parts.measureGreatestLoad(setup, servers, settings));
const depth = await run('depth', () => parts.measureDepth(setup, service, settings));
const halfLoad =
  greatestLoad && (await run('half load', () => parts.measureHalfLoad(setup, servers, settings, greatestLoad)));
const memory = await run('memory', () => parts.measureMemory(setup, service, settings));
const workers = await run('workers', () => parts.measureWorkers(setup, settings));
const text = report({ conditions, start, greatestLoad, depth, halfLoad, workers, memory });
console.log(text);
if (settings.isComplete) writeBetween('bench/RESULTS.md', 'npm run bench', text);
