// Compares the service in this folder with that of a commit, each with its own database, and prints the report. The argument
// is the commit. bench/README.md describes the settings.
import { spawnSync } from 'node:child_process';
import { installRelease } from '../test-support/release.ts';
import { describeRun } from './report/markdown.ts';
import { describeLoads, report } from './report/report.ts';
import { SERVICE } from './server.ts';
import { readSettings } from './settings.ts';
import { openSetup } from './setup.ts';
import { takeTurns } from './turns.ts';

const commit = process.argv[2] ?? 'HEAD';
const { stdout } = spawnSync('git', ['rev-parse', '--verify', `${commit}^{commit}`], { encoding: 'utf8' });
if (stdout === '') throw new Error(`this clone has no commit ${commit}`);
const settings = readSettings(process.env);
await using stack = new AsyncDisposableStack();
const tree = installRelease(stdout.trim());
stack.defer(tree.remove);

const openService = async (name: string, root: string) => {
  const { startService, world, versions } = await openSetup(settings, stack, root);
  const program = { ...SERVICE, name, nodeOptions: settings.nodeOptions };
  return { server: await startService(program, settings.seconds), world, versions };
};
const services = [await openService(commit, tree.path), await openService('this folder', '.')] as const;
const conditions = [
  ...describeRun('services, databases and load generator', services[1].versions),
  `\`this folder\` is that commit; it is compared with commit ${stdout.trim()}`,
  ...describeLoads(settings),
];
const contests = await takeTurns(services, settings);
console.log(report({ conditions, servers: services.map(({ server }) => server.name), hasGoals: false, contests }));
