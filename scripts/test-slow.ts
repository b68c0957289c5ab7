// `npm run test:slow`: runs `npm test` at a low priority beside busy loops, to simulate a machine that is many times slower.
// Tests with fixed waits or short limits fail here. The argument is the niceness (default 10).
import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';

const BUSY_LOOPS = 4;
const { SIGHUP, SIGINT, SIGTERM } = constants.signals;
const niceness = process.argv[2] ?? '10';

const loops = Array.from({ length: BUSY_LOOPS }, () =>
  spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }),
);
const endLoops = (): void => {
  for (const loop of loops) loop.kill('SIGKILL');
};
process.once('exit', endLoops);
for (const [name, number] of Object.entries({ SIGHUP, SIGINT, SIGTERM })) {
  process.once(name, () => process.exit(128 + number));
}

const started = performance.now();
const tests = spawn('nice', ['-n', niceness, process.execPath, 'scripts/test.ts'], { stdio: 'inherit' });
tests.once('exit', (status, signal) => {
  endLoops();
  const minutes = ((performance.now() - started) / 60_000).toFixed(1);
  const { stdout: commit } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' });
  console.log(`${minutes} minutes at niceness ${niceness} with ${BUSY_LOOPS} busy loops, commit ${commit.trim()}`);
  process.exitCode = status ?? 128 + constants.signals[signal ?? 'SIGKILL'];
});
