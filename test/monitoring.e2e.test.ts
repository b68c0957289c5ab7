import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { logIn } from '../test-support/client.ts';
import { atLeast } from '../test-support/counts.ts';
import { useDemoService } from '../test-support/demo-database.ts';
import { makeFolder } from '../test-support/folders.ts';
import { freePort } from '../test-support/free-port.ts';
import { isInstalled } from '../test-support/installed.ts';
import { execute } from '../test-support/processes.ts';
import { dashboardPanels, startPrometheus } from '../test-support/prometheus.ts';
import { skip } from '../test-support/skip.ts';

const FOLDER = 'deploy/monitoring';
const rules = readFileSync(join(FOLDER, 'rules.yaml'), 'utf8');
const document = readFileSync('docs/monitoring.md', 'utf8');
const namesIn = (text: string, pattern: RegExp): readonly string[] => [
  ...new Set(Array.from(text.matchAll(pattern), ([, name = '']) => name)),
];

const COUNT = 'chapter_http_request_duration_seconds_count';
const BUCKET = 'chapter_http_request_duration_seconds_bucket';

/** Series of nine hours without a fault, with small irregularities. A value for each minute, in the notation of promtool. */
const HEALTHY: Readonly<Record<string, string>> = {
  [`${COUNT}{method="GET",status="200"}`]: '0+6000x540',
  [`${COUNT}{method="GET",status="503"}`]: '0+1x540',
  [`${BUCKET}{method="GET",status="200",le="0.1"}`]: '0+5990x540',
  'up{job="chapter"}': '1+0x538 0',
  'chapter_database_connections{state="waiting"}': '0+0x537 3 3',
  'chapter_queue_calls{queue="hashes",state="waiting"}': '10+0x540',
  chapter_http_connections_dropped_total: '7+0x540',
  'nodejs_eventloop_lag_p99_seconds{job="chapter"}': '0.02+0x540',
  'chapter_logins_total{outcome="limited"}': '0+1x540',
  chapter_purge_timestamp_seconds: '0+60x540',
  chapter_database_clock_difference_seconds: '-1+0x540',
  'chapter_division_reads_total{server="primary"}': '0+600x540',
  'chapter_division_reads_total{server="replica-a"}': '0+600x540',
  'chapter_division_reads_total{server="replica-b"}': '0+600x540',
  chapter_key_timestamp_seconds: '0+0x540',
  chapter_database_oldest_transaction_seconds: '0+60x520 0+0x19',
  'chapter_database_table_bytes{table="audit_entry"}': '2000000000+1000000x540',
  'up{job="chapter-database"}': '1+0x540',
  // In three disks of 100 GB: one fills slowly, one is ample and fills fast, and one is rather full and steady.
  'node_filesystem_size_bytes{job="chapter-database",mountpoint="/"}': '100000000000+0x540',
  'node_filesystem_avail_bytes{job="chapter-database",mountpoint="/"}': '25000000000-10000000x540',
  'node_filesystem_size_bytes{job="chapter-database",mountpoint="/ample"}': '100000000000+0x540',
  'node_filesystem_avail_bytes{job="chapter-database",mountpoint="/ample"}': '70000000000-80000000x540',
  'node_filesystem_size_bytes{job="chapter-database",mountpoint="/steady"}': '100000000000+0x540',
  'node_filesystem_avail_bytes{job="chapter-database",mountpoint="/steady"}': '6000000000+0x540',
};

/** The series that differ in the scenario of each alert, and what else fires in it: other alerts, or the same for another series. */
const SCENARIOS: Readonly<Record<string, readonly [series: Readonly<Record<string, string>>, ...also: string[]]>> = {
  ChapterUnservedFast: [{ [`${COUNT}{method="GET",status="503"}`]: '0+0x480 0+600x60' }, 'ChapterUnservedSlow'],
  ChapterUnservedSlow: [{ [`${COUNT}{method="GET",status="503"}`]: '0+50x540' }],
  ChapterSlowReads: [{ [`${BUCKET}{method="GET",status="200",le="0.1"}`]: '0+5000x540' }],
  ChapterInstanceDown: [
    { 'up{job="chapter"}': '1+0x536 0 0 0 0', 'up{job="chapter-database"}': '1+0x536 0 0 0 0' },
    'ChapterInstanceDown',
  ],
  ChapterPoolExhausted: [{ 'chapter_database_connections{state="waiting"}': '0+0x533 1 1 1 1 1 1 1' }],
  ChapterQueueFull: [{ 'chapter_queue_calls{queue="hashes",state="waiting"}': '100+0x540' }],
  ChapterConnectionsDropped: [{ chapter_http_connections_dropped_total: '7+0x538 8 8' }],
  ChapterEventLoopBlocked: [{ 'nodejs_eventloop_lag_p99_seconds{job="chapter"}': '0.2+0x540' }],
  ChapterPasswordsGuessed: [{ 'chapter_logins_total{outcome="limited"}': '0+60x540' }],
  ChapterPurgeStopped: [{ chapter_purge_timestamp_seconds: '0+60x450 27000+0x89' }],
  ChapterClockWrong: [{ chapter_database_clock_difference_seconds: '90+0x540' }],
  ChapterReplicaUnused: [{ 'chapter_division_reads_total{server="replica-b"}': '0+600x500 300000+0x39' }],
  ChapterKeyOld: [{ chapter_key_timestamp_seconds: '-30000000+0x540' }],
  ChapterTransactionOld: [{ chapter_database_oldest_transaction_seconds: '0+60x540' }],
  ChapterDatabaseDiskFull: [
    {
      'node_filesystem_avail_bytes{job="chapter-database",mountpoint="/"}': '25000000000-30000000x540',
      'node_filesystem_avail_bytes{job="chapter-database",mountpoint="/steady"}': '4000000000+0x540',
    },
    'ChapterDatabaseDiskFull',
  ],
  ChapterTableGrows: [{ 'chapter_database_table_bytes{table="audit_entry"}': '2000000000+5000000x540' }],
};

describe('Monitoring', () => {
  it('is documented: every alert', () => {
    const alerts = atLeast(5, namesIn(rules, /alert: (\w+)/g));
    expect(namesIn(document, /^\| `(Chapter\w+)`/gm)).to.have.members(alerts);
    expect(Object.keys(SCENARIOS)).to.have.members(alerts);
  });

  it('has alerts that fire in their scenarios, and are silent in the others', async function () {
    if (!isInstalled('promtool', '--version')) skip(this, 'promtool is not installed');
    const scenarios = [[null, [{}]] as const, ...Object.entries(SCENARIOS)];
    const tests = scenarios.map(([alert, [series, ...also]]) => ({
      name: alert ?? 'healthy',
      interval: '1m',
      input_series: Object.entries({ ...HEALTHY, ...series }).map(([name, values]) => ({ series: name, values })),
      promql_expr_test: [
        {
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: '540m',
          exp_samples: Object.entries(Object.groupBy([...(alert === null ? [] : [alert]), ...also], String)).map(
            ([name, fired = []]) => ({ labels: `{alertname="${name}"}`, value: fired.length }),
          ),
        },
      ],
    }));
    const folder = makeFolder();
    cpSync(join(FOLDER, 'rules.yaml'), join(folder, 'rules.yaml'));
    // Rules are evaluated every second minute, which takes half the time. JSON is YAML.
    const suite = { rule_files: ['rules.yaml'], evaluation_interval: '2m', tests };
    writeFileSync(join(folder, 'tests.yaml'), JSON.stringify(suite));
    await execute('promtool', ['test', 'rules', 'tests.yaml'], { cwd: folder });
    await execute('promtool', ['check', 'config', join(FOLDER, 'prometheus.yaml')]);
  });

  describe('with a service and Prometheus', () => {
    let ops: string;
    const service = useDemoService(async () => {
      const port = await freePort();
      ops = `127.0.0.1:${port}`;
      // With traces, so that Prometheus reads exemplars. Nothing receives the traces.
      return { OPS_PORT: String(port), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    });
    const sendRequests = async (): Promise<void> => {
      const leader = await logIn(service.url, 'leader', 'chapter-demo');
      for (const path of ['/api/users/', '/api/nothing/']) await leader('GET', path);
    };
    before(sendRequests);

    it('documents every metric', async () => {
      const text = await (await fetch(`http://${ops}/metrics`)).text();
      const counters = namesIn(text, /^# TYPE (\w+) counter/gm);
      const names = atLeast(5, namesIn(text, /^# HELP (chapter_\w+)/gm));
      // OpenMetrics names a counter without the end that its values have.
      const metrics = names.map((name) => (counters.includes(name) ? `${name}_total` : name));
      expect(namesIn(document, /^\| `(chapter_\w+)`/gm)).to.have.members(metrics);
    });

    it('has no query of the dashboard that returns nothing', async function () {
      if (!isInstalled('prometheus', '--version')) skip(this, 'prometheus is not installed');
      const prometheus = await startPrometheus(ops);
      const hasResult = async (query: string): Promise<boolean> =>
        (await prometheus.ask('query', { query })).some(({ value: [, text] }) => text !== 'NaN');
      const queries = dashboardPanels().flatMap(({ targets }) => targets.map(({ expr }) => expr));
      for (const query of atLeast(10, queries)) {
        // Rates need requests between two scrapes.
        while (!(await hasResult(query))) await sendRequests();
      }
      const range = { query: COUNT.replace('count', 'bucket'), start: '0', end: String(Date.now() / 1000 + 60) };
      const [exemplars] = await prometheus.ask('query_exemplars', range);
      expect(JSON.stringify(exemplars)).to.match(/"exemplars":\[{"labels":{"trace_id":"[0-9a-f]{32}"}/);
      prometheus.end();
    });
  });
});
