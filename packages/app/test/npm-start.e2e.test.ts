import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { logIn } from '../../../test-support/client.ts';
import { freePort } from '../../../test-support/free-port.ts';
import { makeDataDir, testSettings } from '../../../test-support/service-process.ts';

describe('npm start', function () {
  this.timeout(60_000);
  const dataDir = makeDataDir();
  const started: ChildProcess[] = [];
  after(async () => {
    for (const child of started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    dataDir.remove();
  });

  const npmStart = async (port: number): Promise<ChildProcess> => {
    const child = spawn('npm', ['start', '--silent'], {
      env: { ...process.env, ...testSettings, DATA_DIR: dataDir.path, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(child);
    for await (const line of createInterface({ input: child.stdout })) if (line.includes('listens on')) return child;
    throw new Error('npm start ended without serving');
  };

  it('serves again on the same port and the same data after npm was killed', async () => {
    const port = await freePort();
    const killed = await npmStart(port);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const again = await npmStart(port);
    await logIn(`http://127.0.0.1:${port}`, 'leader', 'chapter-demo');
    again.kill('SIGTERM');
    expect(await once(again, 'exit')).to.deep.equal([0, null]);
  });
});
