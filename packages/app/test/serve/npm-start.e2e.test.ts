import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { logIn } from '../../../../test-support/client.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { freePort } from '../../../../test-support/free-port.ts';
import { spawn } from '../../../../test-support/processes.ts';
import { childrenOf, testSettings } from '../../../../test-support/service-process.ts';
import { postmasterOf } from '../../src/embedded/postmaster.ts';

describe('npm start', () => {
  const dataDir = makeFolder();
  const cluster = join(dataDir, 'postgres');
  const started: ChildProcess[] = [];
  const cache = 'node_modules/.cache/node';
  before('forget the modules that earlier runs compiled', () => rmSync(cache, { recursive: true, force: true }));
  after(async () => {
    for (const child of started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  });

  const npmRun = (script: string, port: number) => {
    const child = spawn('npm', ['run', script, '--silent'], {
      env: { ...process.env, ...testSettings, DATA_DIR: dataDir, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true, // a separate process group, as a terminal and `timeout` create one
    });
    started.push(child);
    return child;
  };

  const npmStart = async (port: number): Promise<ChildProcess> => {
    const child = npmRun('start', port);
    for await (const line of createInterface({ input: child.stdout })) if (line.includes('listens on')) return child;
    throw new Error('npm start ended without serving');
  };

  /** Waits without a limit, because the test has one. */
  const postmasterGone = async (): Promise<void> => {
    while (postmasterOf(cluster) !== undefined) await sleep(50);
  };

  it('leaves no embedded PostgreSQL running after SIGKILL to the process group', async () => {
    const child = await npmStart(await freePort());
    expect(postmasterOf(cluster)).to.be.a('number');
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await postmasterGone();
  });

  it('stops after npm was killed, and serves again on the same port and the same data', async () => {
    const port = await freePort();
    const killed = await npmStart(port);
    expect(postmasterOf(cluster)).to.be.a('number');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const again = await npmStart(port);
    await logIn(`http://127.0.0.1:${port}`, 'leader', 'chapter-demo');
    again.kill('SIGTERM');
    expect(await once(again, 'exit')).to.deep.equal([0, null]);
    // The embedded PostgreSQL stops when the last process has left it, the one of the killed npm included.
    await postmasterGone();
  });

  it('keeps its compiled modules in the folder of the dependencies', () => {
    const folder = readdirSync(cache).find((name) => name.startsWith(process.version));
    expect(readdirSync(join(cache, folder ?? '')).length).to.be.above(1000);
  });

  it('restarts with start:dev when a source file changes, and stops if the watcher is killed', async () => {
    const port = await freePort();
    const child = npmRun('start:dev', port);
    let starts = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.includes('listens on')) continue;
      starts += 1;
      if (starts === 2) break;
      const now = new Date();
      utimesSync('packages/app/src/serve/run.ts', now, now);
    }
    expect(starts).to.equal(2);
    await logIn(`http://127.0.0.1:${port}`, 'leader', 'chapter-demo');
    const [bootstrap = 0] = childrenOf(child.pid ?? 0);
    const [watcher = 0] = childrenOf(bootstrap);
    process.kill(watcher, 'SIGKILL');
    await postmasterGone();
  });

  it('stops when its terminal is closed, although npm ends at once', async () => {
    const child = await npmStart(await freePort());
    process.kill(-(child.pid ?? 0), 'SIGHUP');
    await postmasterGone();
    // PostgreSQL removes this file only if it is shut down properly.
    expect(existsSync(join(cluster, 'postmaster.pid'))).to.equal(false);
  });
});
