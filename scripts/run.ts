import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface Finished {
  readonly ok: boolean;
  readonly seconds: number;
  readonly output: string;
}

/**
 * Runs a shell command, with `variables` beside those of the environment. Its lines, of both streams, go to `onLine` as
 * they come, and are in the result once it ends.
 */
export const run = (
  command: string,
  onLine: (line: string) => void = () => {},
  variables: Readonly<Record<string, string>> = {},
): Promise<Finished> => {
  const started = performance.now();
  const lines: string[] = [];
  const child = spawn('sh', ['-c', command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...variables },
  });
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      lines.push(line);
      onLine(line);
    });
  }
  return new Promise((resolve) => {
    child.on('close', (code) =>
      resolve({ ok: code === 0, seconds: (performance.now() - started) / 1000, output: lines.join('\n') }),
    );
  });
};
