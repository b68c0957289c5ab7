import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { spawn } from '../../../../test-support/processes.ts';

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const TELEMETRY = new URL('../../src/serve/telemetry.ts', import.meta.url).href;

/** Returns the arguments of a program with the log of PROD. `writes` has the texts that it writes without waiting. */
const argumentsOf = (program: string): readonly string[] => {
  const script = `
    import { spawnSync } from 'node:child_process';
    import fs from 'node:fs';
    import { makeLog } from '${TELEMETRY}';
    const { write } = fs;
    const writes = [];
    fs.write = (fd, lines, ...args) => (writes.push(String(lines)), write(fd, lines, ...args));
    const log = await makeLog({ level: 'info', format: 'json' });
    ${program}`;
  return ['--input-type=module', '--eval', script];
};

const start = (program: string) => spawn(process.execPath, argumentsOf(program), { stdio: ['ignore', 'pipe', 'pipe'] });

const messagesIn = (output: string) => Array.from(output.matchAll(/"msg":"(.*)"\}\n/g), ([, message]) => message);

describe('The log in PROD', () => {
  it('gathers lines, and writes them after a moment', async () => {
    const child = start(`log.info('a'); log.info('b'); console.error(writes.length); setInterval(() => {}, 1000);`);
    child.stdout.once('data', () => child.kill('SIGKILL'));
    expect(messagesIn(await text(child.stdout))).to.deep.equal(['a', 'b']);
    expect(await text(child.stderr)).to.equal('0\n');
  });

  it('writes lines of level error and above at once', async () => {
    for (const program of ["log.info('a'); log.fatal('b');", "log.fatal('a'.repeat(5000));"]) {
      const { stderr } = start(`${program} console.error(writes.map(({ length }) => length > 0)); process.exit();`);
      expect(await text(stderr)).to.equal('[ true ]\n');
    }
  });

  it('writes whole lines, at most 4096 bytes at once', async () => {
    const { stderr } = start(`for (let at = 0; at < 50; at++) log.info('aé'.repeat(50));
      process.once('exit', () => console.error(writes.map((one) => Buffer.byteLength(one) <= 4096 && one.endsWith('\\n'))));`);
    expect(await text(stderr)).to.match(/^\[ true(, true)* \]\n$/);
  });

  for (const ending of ['process.exit();', 'throw new Error();']) {
    it(`loses no line that waits with ${ending}`, async () => {
      const { stdout } = start(`for (let at = 0; at < 50; at++) log.info(String(at)); ${ending}`);
      expect(messagesIn(await text(stdout))).to.deep.equal(Array.from({ length: 50 }, (_, at) => String(at)));
    });
  }

  it('continues while the disk is full, and writes the lines when it has space again', async () => {
    const { stderr, stdout } = start(`let failures = 0;
      fs.write = (fd, lines, done) => (++failures < 3 ? setImmediate(done, new Error(), 0) : write(fd, lines, done));
      log.info('a');
      setInterval(() => failures > 2 && process.exit(), 10);`);
    expect(messagesIn(await text(stdout))).to.deep.equal(['a']);
    expect(await text(stderr)).to.equal('');
  });

  const logMegabytes = "for (let at = 0; at < 20; at++) log.info('a'.repeat(1_000_000)); process.exit();";

  it('does not wait for a reader that stands still at its end', async () => {
    expect(await once(start(logMegabytes), 'exit')).to.deep.equal([0, null]);
  });

  it('does not wait either if another process that shares a pipe with it makes the pipe blocking', async () => {
    const path = join(makeFolder(), 'log');
    execFileSync('mkfifo', [path]);
    const [reader, output] = [openSync(path, O_RDONLY | O_NONBLOCK), openSync(path, O_WRONLY)];
    const other = `spawnSync(process.execPath, ['--eval', 'process.stdout; process.exit()'], { stdio: 'inherit' });`;
    const child = spawn(process.execPath, argumentsOf(other + logMegabytes), { stdio: ['ignore', output, 'inherit'] });
    expect(await once(child, 'exit')).to.deep.equal([0, null]);
    for (const each of [output, reader]) closeSync(each);
  });

  it('appends to a file that other processes write too', async () => {
    const path = join(makeFolder(), 'log');
    writeFileSync(path, 'of another process\n');
    const output = openSync(path, 'a');
    const child = spawn(process.execPath, argumentsOf("log.info('a');"), { stdio: ['ignore', output, 'inherit'] });
    await once(child, 'exit');
    closeSync(output);
    expect(readFileSync(path, 'utf8')).to.match(/^of another process\n.*"msg":"a"\}\n$/);
  });

  it('keeps at most 16 MiB of lines for an output that takes none', async () => {
    const { stderr } = start(`let kept = 0;
      fs.write = () => {};
      fs.writeSync = (fd, { length }) => void (kept += length);
      process.once('exit', () => console.error(Math.floor(kept / 1e6))); ${logMegabytes}`);
    expect(await text(stderr)).to.equal('17\n');
  });
});
