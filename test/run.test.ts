import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { run } from '../scripts/run.ts';
import { spawn } from '../test-support/processes.ts';

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
    const script = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
    expect(await run(`node -e "${script}"`, { limitMs: 2000, graceMs: 10 })).to.include({ ok: false });
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
});

describe('npm test', () => {
  let project: string;
  before(() => {
    project = mkdtempSync(join(tmpdir(), 'chapter-npm-test-'));
    const lane = 'echo started; sleep 1000';
    const lanes = { 'test:e2e': lane, 'test:integration': lane, 'test:exhaustive': lane };
    const scripts = { 'check:quick': 'true', ...lanes, 'test:unit': 'echo next' };
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
      child.stdout.on('data', (chunk: Buffer) => String(chunk).includes('started') && child.kill(signal));
      const output = await text(child.stdout);
      expect(await exited).to.deep.equal([status, null]);
      expect(output).to.include(`Interrupted by ${signal}.`).and.not.include('next');
    });
  }
});
