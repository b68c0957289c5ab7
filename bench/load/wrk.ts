import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LoadGenerator, LoadPlan, LoadResult } from './load.ts';

const execute = promisify(execFile);
/** Bytes of the longest result: some ten for every latency there was. */
const LONGEST = 2 ** 26;
const SCRIPT = join(import.meta.dirname, 'wrk.lua');

const run = async ({ url, requests, connections, seconds, rate }: LoadPlan): Promise<LoadResult> => {
  const folder = await mkdtemp(join(tmpdir(), 'chapter-bench-'));
  try {
    const file = join(folder, 'requests');
    const lines = requests.map(({ method, path, token = '', body = '' }) => `${method}\t${path}\t${token}\t${body}\n`);
    await writeFile(file, lines.join(''));
    const load = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`];
    const name = randomBytes(6).toString('hex');
    const script = ['--timeout', '30s', '--script', SCRIPT, url, file, `${name}.`, String(rate ?? 0)];
    const { stdout } = await execute('wrk', [...load, ...script], { maxBuffer: LONGEST });
    const result = /^RESULT (.+)$/m.exec(stdout)?.[1];
    if (result === undefined) throw new Error(`wrk gave no result:\n${stdout}`);
    return JSON.parse(result) as LoadResult;
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** The program wrk (Debian's package of that name), or undefined where it is not installed. */
export const findWrk = (): LoadGenerator | undefined => {
  const { error, stdout } = spawnSync('wrk', ['--version'], { encoding: 'utf8' });
  if (error) return undefined;
  return { name: /wrk \S+/.exec(stdout)?.[0] ?? 'wrk', run };
};
