import { execFileSync, spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds within which a command ends or a container becomes healthy: as long as mocha lets a test take. */
const TIMEOUT_MS = 300_000;

/** Runs a command and returns its standard output. */
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

/** Runs Docker's command line. */
export const docker = makeRun(['docker']);

const succeeds = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

/** Returns a function that runs Docker Compose in the directory of the compose file; undefined if it is not installed. */
export const makeCompose = (directory: string, variables: NodeJS.ProcessEnv): RunCommand | undefined => {
  if (succeeds('docker', 'compose', 'version')) return makeRun(['docker', 'compose'], variables, directory);
  if (succeeds('docker-compose', 'version')) return makeRun(['docker-compose'], variables, directory);
  return undefined;
};

/** Runs a shell script in a container. Returns its output and status. */
export const runIn = (container: string, script: string) =>
  spawnSync('docker', ['exec', container, 'sh', '-c', script], { encoding: 'utf8', timeout: TIMEOUT_MS });

/** Returns the properties of a container that a template of `docker inspect --format` selects. */
export const inspect = (container: string, template: string): string =>
  docker(['inspect', '--format', template, container]).trim();

/** Resolves when a container is healthy by its own check. Throws with its log if it does not become healthy. */
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
