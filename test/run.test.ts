import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { atLeast } from '../test-support/counts.ts';
import { makeFolder } from '../test-support/folders.ts';
import { spawn } from '../test-support/processes.ts';
import { run } from '../test-support/run.ts';

describe('run', () => {
  it('returns the output of both streams and whether the command succeeded', async () => {
    const lines: string[] = [];
    const options = { onLine: (line: string) => lines.push(line), variables: { WORD: 'hello' } };
    expect(await run('echo $WORD; echo there >&2; exit 3', options)).to.include({ ok: false });
    expect(lines).to.have.members(['hello', 'there']);
    expect(await run('echo $WORD', options)).to.include({ ok: true, output: 'hello' });
  });

  it('ends a command that takes longer than its limit, and reports it', async () => {
    const { ok, output } = await run('sleep 1000', { limitMs: 60 });
    expect([ok, output]).to.deep.equal([false, 'ended after the time limit of 0.001 minutes: sleep 1000']);
  });

  it('kills a command that ignores SIGTERM', async () => {
    const script = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready');";
    const interruption = new AbortController();
    const options = { onLine: () => interruption.abort(), signal: interruption.signal, graceMs: 10 };
    expect(await run(`exec node -e "${script}"`, options)).to.include({ ok: false, output: 'ready' });
  });

  it('kills a command that does not end after its last line, as if it had ended', async () => {
    const options = { isLast: (line: string) => line === 'last', endMs: 10 };
    expect(await run('echo last; sleep 1000', options)).to.include({ ok: true, output: 'last' });
    expect(await run('echo last; exit 3', { ...options, endMs: 100_000 })).to.include({ ok: false });
  });

  it('ends the processes that a command has left running', async () => {
    // The remaining process keeps the output open.
    expect(await run('sleep 1000 & echo done')).to.include({ ok: true, output: 'done' });
  });

  it('ends a command if it is interrupted, even before the start', async () => {
    const interruption = new AbortController();
    const onLine = (): void => interruption.abort();
    expect(await run('echo started; sleep 1000', { onLine, signal: interruption.signal })).to.include({ ok: false });
    expect(await run('sleep 1000', { signal: interruption.signal })).to.include({ ok: false });
  });

  it('ignores an interruption after the command has ended, while its output is still open', async () => {
    const interruption = new AbortController();
    // This process is outside of the command's group. It writes after the exit of the command was noticed.
    const late = "'while kill -0 ' + process.pid + ' 2> /dev/null; do sleep 0.01; done; echo late'";
    const script = `require('child_process').spawn('sh', ['-c', ${late}], { detached: true, stdio: 'inherit' }).unref()`;
    const options = { onLine: () => interruption.abort(), signal: interruption.signal };
    expect(await run(`exec node -e "${script}"`, options)).to.include({ ok: true, output: 'late' });
  });
});

const { checks, suites } = JSON.parse(readFileSync('scripts/test-parts.json', 'utf8')) as {
  readonly checks: Readonly<Record<string, string>>;
  readonly suites: Readonly<Record<string, readonly string[]>>;
};

/** Makes a folder with its own parts, and a program `mocha` that prints its arguments and runs `mocha`, a shell script. */
const makeProject = (parts: object, mocha: string): string => {
  const project = makeFolder();
  mkdirSync(join(project, 'scripts'));
  writeFileSync(join(project, 'scripts/test-parts.json'), JSON.stringify(parts));
  writeFileSync(join(project, 'mocha'), `#!/bin/sh\n${mocha}\n`, { mode: 0o755 });
  return project;
};

/** The environment in which `mocha` is the program of the project. */
const environmentOf = (project: string, CI = ''): NodeJS.ProcessEnv => ({
  ...process.env,
  CI,
  PATH: `${project}:${process.env['PATH']}`,
});

describe('npm test', () => {
  describe('that is interrupted', () => {
    // As many as run at the same time, so that the next part only starts when one of them ends.
    const lanes = { e2e: [], 'integration:postgres': [], 'integration:others': [] };
    const parts = { checks: { quick: 'echo started; sleep 1000' }, suites: { ...lanes, exhaustive: [], unit: [] } };
    const project = makeProject(parts, 'echo started; sleep 1000');

    it('ends its lanes, starts no other part, and exits with the status of the signal', async () => {
      const child = spawn(process.execPath, [resolve('scripts/test.ts')], {
        cwd: project,
        env: environmentOf(project),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exited = once(child, 'exit');
      // The first output is that of a lane.
      child.stdout.once('data', () => child.kill('SIGINT'));
      const output = await text(child.stdout);
      expect(await exited).to.deep.equal([130, null]);
      expect(output)
        .to.include('Interrupted by SIGINT.')
        .and.not.match(/exhaustive|unit/);
    });
  });

  it('runs every test file in exactly one suite', () => {
    const filesOf = ([pattern = '', , ...ignored]: readonly string[]): readonly string[] =>
      globSync(pattern, { exclude: ignored });
    const files = atLeast(200, globSync('{packages/*/test,test,bench/test}/**/*.test.ts'));
    expect(Object.values(suites).flatMap(filesOf).toSorted()).to.deep.equal(files.toSorted());
  });

  /** Runs scripts/test.ts with suites that print `counts`, and checks that succeed. */
  const runTests = (counts: string, CI: string, args: readonly string[] = []): string => {
    const succeeding = Object.fromEntries(Object.keys(checks).map((name) => [name, 'true']));
    const project = makeProject({ checks: succeeding, suites, coverage: 'true' }, `echo ${counts}`);
    const options = { cwd: project, env: environmentOf(project, CI), encoding: 'utf8' } as const;
    return spawnSync(process.execPath, [resolve('scripts/test.ts'), ...args], options).stdout;
  };

  const partsIn = (stdout: string): readonly (string | undefined)[] =>
    Array.from(stdout.matchAll(/^(?:ok {4}| {6}) (\S+) \(/gm), ([, name]) => name);

  const parts = [...Object.keys(checks), ...Object.keys(suites)];
  const quick = parts.filter((name) => !['packages', 'bench', 'runtimes'].includes(name));
  for (const [title, CI, expected] of [
    ['names the parts that only CI runs', '', quick],
    ['in CI runs every check and suite, and then the coverage check', 'true', [...parts, 'coverage']],
  ] as const) {
    it(title, () => {
      const stdout = runTests('1 passed, 0 failed', CI);
      expect(partsIn(stdout)).to.have.members(expected);
      expect(stdout).to.match(new RegExp(`^${expected.length} passed, 0 failed$`, 'm'));
      const omitted = CI ? 0 : 1;
      expect(stdout.match(/^not run, because CI is not set: packages, bench, runtimes$/gm) ?? []).to.have.lengthOf(
        omitted,
      );
    });
  }

  it('runs only the parts that are named, also those of CI', () => {
    const stdout = runTests('1 passed, 0 failed', '', ['types', 'packages', 'integration']);
    expect(partsIn(stdout)).to.have.members(['types', 'packages', 'integration:postgres', 'integration:others']);
    expect(stdout)
      .to.match(/^4 passed, 0 failed$/m)
      .and.not.include('not run');
  });

  it('fails for each suite that runs no test', () => {
    const inAll = quick.filter((name) => name in suites).length;
    expect(runTests('0 passed, 0 failed', '')).to.match(new RegExp(`, ${inAll} failed$`, 'm'));
    expect(runTests('0 passed, 0 failed, 2 skipped', '')).to.match(/, 0 failed, \d+ skipped$/m);
  });

  it('refuses the name of a drill or of a file with statements that does not exist', () => {
    for (const [script, text] of [
      ['drill', 'unknown drill nosuch; the drills are none, kill'],
      ['test-statements', 'no statement in a file whose path contains nosuch has a change'],
    ]) {
      const { status, stderr } = spawnSync(process.execPath, [`scripts/${script}.ts`, 'nosuch'], { encoding: 'utf8' });
      expect([status, stderr.startsWith(String(text))], script).to.deep.equal([2, true]);
    }
  });

  it('starts Mocha with a file, or with the files of a suite and other arguments', () => {
    for (const args of [
      ['test/names.test.ts', '--dry-run'],
      ['bench', '--dry-run'],
    ]) {
      const { stdout } = spawnSync(process.execPath, ['scripts/test.ts', ...args], { encoding: 'utf8' });
      expect(stdout, args.join(' ')).to.match(/^[1-9]\d* passed, 0 failed/m);
    }
  });
});
