// Measures the service against the baseline; a complete run writes bench/RESULTS.md. With `--against COMMIT`, compares it with
// the service of a commit, each with its own database, and only prints. bench/README.md describes the settings.
import { spawnSync } from 'node:child_process';
import { installRelease } from '../test-support/release.ts';
import { describeRun, writeBetween } from './report/markdown.ts';
import { describeLoads, report } from './report/report.ts';
import { BASELINE, JSON_BASELINE, SERVICE } from './server.ts';
import { readSettings } from './settings.ts';
import { openSetup } from './setup.ts';
import { takeTurns } from './turns.ts';

const [, , option, commit = 'HEAD'] = process.argv;
const isComparison = option === '--against';
const settings = readSettings(process.env);
const { nodeOptions, seconds } = settings;
await using stack = new AsyncDisposableStack();

const openBaselines = async () => {
  const { start, startService, versions, world } = await openSetup(settings, stack);
  const servers = [await start(BASELINE), await start(JSON_BASELINE)];
  servers.push(await startService({ ...SERVICE, nodeOptions }, seconds));
  return { contestants: servers.map((server) => ({ server, world })), versions };
};

const openBuild = async (name: string, root: string) => {
  const { startService, world, versions } = await openSetup(settings, stack, root);
  return { server: await startService({ ...SERVICE, name, nodeOptions }, seconds), world, versions };
};

const openBuilds = async () => {
  const { stdout } = spawnSync('git', ['rev-parse', '--verify', `${commit}^{commit}`], { encoding: 'utf8' });
  if (stdout === '') throw new Error(`this clone has no commit ${commit}`);
  const before = await openBuild(commit, installRelease(stdout.trim()));
  const now = await openBuild('this folder', '.');
  return { contestants: [before, now], versions: [...now.versions, `compared with commit ${stdout.trim()}`] };
};

const { contestants, versions } = isComparison ? await openBuilds() : await openBaselines();
const text = report({
  conditions: [...describeRun('servers, databases and load generator', versions), ...describeLoads(settings)],
  servers: contestants.map(({ server }) => server.name),
  hasGoals: !isComparison,
  contests: await takeTurns(contestants, settings),
});
console.log(text);
if (settings.isComplete && !isComparison) writeBetween('bench/RESULTS.md', 'npm run bench', text);
