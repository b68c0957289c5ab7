// Measures what traces cost, by the share of the requests that is traced, in alternating turns, and writes the results into
// docs/performance.md. BENCH=short: on little data, printed only.
import { createServer } from 'node:http';
import { listenOnFreePort } from '../test-support/example-pages.ts';
import { residentMemoryOf } from './processes.ts';
import { describeRun, list, publish, table } from './report/markdown.ts';
import { format, median } from './report/numbers.ts';
import { cpuPerRequest, describeLoads, ratios, spread, valuesOf } from './report/report.ts';
import { SERVICE } from './server.ts';
import { readSettings } from './settings.ts';
import { openSetup } from './setup.ts';
import { openService, perSecond, takeTurns } from './turns.ts';

const SHARES = ['0', '0.01', '1'];
const STARTS = 7;

// The cheapest request, to which traces add the most.
const chosen = { BENCH_KINDS: 'read a user', BENCH_CONNECTIONS: '1;32', BENCH_SECONDS: '1' };
const settings = readSettings({ ...chosen, ...process.env });
await using stack = new AsyncDisposableStack();
const setup = await openSetup(settings.population, stack);
const run = await describeRun('servers, database, collector and load generator', setup.databaseUrl);
/** Receives traces and drops them. */
const collector = createServer((request, response) => void request.resume().once('end', () => response.end()));
const traced = {
  OTEL_EXPORTER_OTLP_ENDPOINT: await listenOnFreePort(collector),
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
};
stack.defer(() => void collector.close());

/** Starts a service several times, and returns the medians of the milliseconds until it serves and of its memory then. */
const starts = async (name: string, variables = {}): Promise<string> => {
  const [times, memory]: [number[], number[]] = [[], []];
  for (let start = 0; start < STARTS; start += 1) {
    const began = performance.now();
    const server = await setup.start({ ...SERVICE, name, variables });
    times.push(performance.now() - began);
    memory.push(residentMemoryOf(server.pid));
    await server.stop();
  }
  return `a start ${name} an endpoint: ${format(median(times))} ms, ${format(median(memory))} MiB (medians of ${STARTS})`;
};
const started = [await starts('without'), await starts('with', traced)];

const contestants = [await openService(setup, settings, { name: 'without' })];
for (const name of SHARES) {
  const variables = { ...traced, OTEL_TRACES_SAMPLER_ARG: name };
  contestants.push(await openService(setup, settings, { name, variables }));
}
const rows: string[][] = [];
for (const contest of await takeTurns(contestants, settings)) {
  for (const [at, { server }] of contestants.entries()) {
    const compared = at === 0 ? [] : [cpuPerRequest, perSecond].map((of) => spread(ratios(contest, 0, of, at)));
    const first = at === 0 ? [contest.kind.name, String(contest.connections)] : ['', ''];
    rows.push([...first, server.name, format(median(valuesOf(contest, at, cpuPerRequest))), ...compared]);
  }
}
const head = 'kind | connections | traced | CPU µs | CPU ÷ without | throughput ÷ without';
const text = [list([...run, ...describeLoads(settings), ...started]), table(head, rows)].join('\n\n');
publish('docs/performance.md', 'npm run bench:tracing', text);
