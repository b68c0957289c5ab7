// Measures the service against the baseline; a complete run writes bench/RESULTS.md. With `--against COMMIT`, compares it with
// the service of a commit, each with its own database, and only prints. bench/README.md describes the settings.
import { spawnSync } from 'node:child_process';
import { installRelease } from '../test-support/release.ts';
import { describeRun, publish } from './report/markdown.ts';
import { describeLoads, report } from './report/report.ts';
import { BASELINE, JSON_BASELINE } from './server.ts';
import { readSettings } from './settings.ts';
import { openSetup } from './setup.ts';
import { openService, takeTurns } from './turns.ts';

const [option, commit = 'HEAD'] = process.argv.slice(2);
const isComparison = option === '--against';
const unknown = process.argv.slice(isComparison ? 4 : 2);
if (unknown.length > 0) {
  console.error(`unknown arguments: ${unknown.join(' ')}; the only one is --against COMMIT`);
  process.exit(2);
}
const settings = readSettings(process.env);
await using stack = new AsyncDisposableStack();

const openBaselines = async () => {
  const setup = await openSetup(settings.population, stack);
  const [baseline, jsonBaseline] = [await setup.start(BASELINE), await setup.start(JSON_BASELINE)];
  return [
    { server: baseline, ...setup },
    { server: jsonBaseline, ...setup },
    await openService(setup, settings),
  ] as const;
};

const openBuild = async (name: string, root: string) =>
  openService(await openSetup(settings.population, stack, root), settings, { name });

const openBuilds = async () => {
  const revision = ['rev-parse', '--short', '--verify', `${commit}^{commit}`];
  const hash = spawnSync('git', revision, { encoding: 'utf8' }).stdout.trim();
  if (hash === '') throw new Error(`this clone has no commit ${commit}`);
  return [await openBuild(hash, installRelease(hash)), await openBuild('this folder', '.')] as const;
};

const contestants = isComparison ? await openBuilds() : await openBaselines();
const run = await describeRun('servers, databases and load generator', contestants[0].databaseUrl);
const text = report({
  conditions: [...run, ...describeLoads(settings)],
  servers: contestants.map(({ server }) => server.name),
  hasGoals: !isComparison,
  contests: await takeTurns(contestants, settings),
});
if (isComparison) console.log(text);
else publish('bench/RESULTS.md', 'npm run bench', text);
