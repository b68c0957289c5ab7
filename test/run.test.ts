import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { run } from '../scripts/run.ts';
import { execute, spawn } from '../test-support/processes.ts';

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

const { scripts: allScripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const checks = Object.keys(allScripts).filter((name) => name.startsWith('check:'));

describe('npm test', () => {
  let project: string;
  before(() => {
    project = mkdtempSync(join(tmpdir(), 'chapter-npm-test-'));
    const lane = 'echo started; sleep 1000';
    // As many as run at the same time, so that the next script only starts when one of them ends.
    const lanes = {
      'test:e2e': lane,
      'check:quick': lane,
      'test:integration:postgres': lane,
      'test:integration:others': lane,
    };
    const scripts = { ...lanes, 'test:exhaustive': 'true', 'test:unit': 'true' };
    writeFileSync(join(project, 'package.json'), JSON.stringify({ scripts }));
  });
  after(() => rmSync(project, { recursive: true }));

  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    it(`ends its lanes at ${signal}, starts no other script, and exits with ${status}`, async () => {
      const child = spawn(process.execPath, [resolve('scripts/test.ts')], {
        cwd: project,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const exited = once(child, 'exit');
      // The first output is that of a lane.
      child.stdout.once('data', () => child.kill(signal));
      const output = await text(child.stdout);
      expect(await exited).to.deep.equal([status, null]);
      expect(output)
        .to.include(`Interrupted by ${signal}.`)
        .and.not.match(/test:exhaustive|test:unit/);
    });
  }

  const suites = [
    'test:e2e',
    'test:integration:postgres',
    'test:integration:others',
    'test:exhaustive',
    'test:unit',
    'test:browser',
  ];
  it('runs every test file in exactly one suite', () => {
    const filesOf = (suite: string): readonly string[] => {
      const [pattern = '', ...ignored] = Array.from(
        (allScripts[suite] ?? '').matchAll(/'([^']+)'/g),
        ([, glob = '']) => glob,
      );
      return globSync(pattern, { exclude: ignored });
    };
    const files = globSync('{packages/*/test,test,bench/test}/**/*.test.ts');
    expect(files).to.not.be.empty;
    expect([...suites, 'test:bench'].flatMap(filesOf).toSorted()).to.deep.equal(files.toSorted());
  });

  for (const [title, CI, expected] of [
    ['names the scripts that only CI runs', '', [...checks.filter((name) => name !== 'check:packages'), ...suites]],
    [
      'in CI runs every check and suite, and then the coverage check',
      'true',
      [...checks, ...suites, 'test:bench', 'coverage'],
    ],
  ] as const) {
    it(title, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'chapter-npm-test-'));
      try {
        const scripts = Object.fromEntries(Object.keys(allScripts).map((name) => [name, 'true']));
        writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts }));
        const env = { ...process.env, CI };
        const { stdout } = await execute(process.execPath, [resolve('scripts/test.ts')], { cwd: folder, env });
        const ran = Array.from(stdout.matchAll(/^(?:ok {4}| {6}) (\S+) \(/gm), ([, name]) => name);
        expect(ran).to.have.members(expected);
        const omitted = CI ? 0 : 1;
        expect(stdout.match(/^not run, because CI is not set: check:packages, test:bench$/gm) ?? []).to.have.lengthOf(
          omitted,
        );
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});
