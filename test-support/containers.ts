import { execFileSync, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Limit of a command, and of the wait for a container. */
const TIMEOUT_MS = 120_000;

/** What a command printed on standard output. Its environment has `variables` as well. */
export type RunCommand = (args: readonly string[], input?: string) => string;

const makeRun =
  (command: readonly [string, ...string[]], variables: NodeJS.ProcessEnv = {}, cwd = '.'): RunCommand =>
  (args, input = '') => {
    const [file, ...first] = command;
    const env = { ...process.env, ...variables };
    return execFileSync(file, [...first, ...args], {
      cwd,
      env,
      input,
      encoding: 'utf8',
      stdio: 'pipe',
      timeout: TIMEOUT_MS,
    });
  };

/** Docker's own command line. */
export const docker = makeRun(['docker']);

const answers = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

/** Compose as it is installed, as a plugin or as a program, in the directory with the file; undefined where it is not. */
export const makeCompose = (directory: string, variables: NodeJS.ProcessEnv): RunCommand | undefined => {
  if (answers('docker', 'compose', 'version')) return makeRun(['docker', 'compose'], variables, directory);
  if (answers('docker-compose', 'version')) return makeRun(['docker-compose'], variables, directory);
  return undefined;
};

/** What Docker knows of a container, by a template of its own. */
export const inspect = (container: string, template: string): string =>
  docker(['inspect', '--format', template, container]).trim();

/** Resolves when the container's own check says that it is healthy; fails with its log when it does not come to that. */
export const untilHealthy = async (container: string): Promise<void> => {
  for (const deadline = Date.now() + TIMEOUT_MS; ; await sleep(250)) {
    const state = inspect(container, '{{.State.Status}} {{.State.Health.Status}}');
    if (state === 'running healthy') return;
    if (Date.now() > deadline || state !== 'running starting') {
      const { stdout, stderr } = spawnSync('docker', ['logs', container], { encoding: 'utf8' });
      throw new Error(`The container is ${state}. Its log:\n${stdout}${stderr}`);
    }
  }
};
