import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { spawn } from '../../../../test-support/processes.ts';

const program = fileURLToPath(new URL('./embedded-user.ts', import.meta.url));

/** A process that uses the embedded database of a directory. */
export interface EmbeddedProcess {
  readonly child: ChildProcess;
  /** Resolves when the process has opened the database; rejects with its error output if it fails. */
  readonly url: Promise<string>;
  readonly kill: () => Promise<void>;
  /** Lets the process leave, and waits until it has ended. */
  readonly leave: () => Promise<void>;
}

export const startEmbeddedProcess = (dataDir: string, options: SpawnOptions = {}): EmbeddedProcess => {
  const child = spawn(process.execPath, [program, dataDir], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  const firstLine = async (): Promise<string> => {
    const errorOutput = text(child.stderr);
    for await (const line of createInterface({ input: child.stdout })) return line;
    throw new Error(await errorOutput);
  };
  const url = firstLine();
  url.catch(() => {}); // prevents an unhandled rejection; tests that await `url` still see the error
  return {
    child,
    url,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    leave: async () => {
      child.stdin.end();
      await exited;
    },
  };
};
